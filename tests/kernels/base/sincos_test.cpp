#include "kernels/base/sincos.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace thinwire {
namespace {

TEST(SincosSimd, IsAccurateOverItsRange) {
  std::mt19937 random(3);
  for (const double range : {1.0, 10.0, 1e3, 1e5}) {
    std::uniform_real_distribution<double> uniform(-range, range);
    for (int i = 0; i < 20000; ++i) {
      const double x = uniform(random);
      double s, c;
      sincos_simd(x, s, c);
      EXPECT_NEAR(s, std::sin(static_cast<long double>(x)), 4e-16) << x;
      EXPECT_NEAR(c, std::cos(static_cast<long double>(x)), 4e-16) << x;
    }
  }
}

}  // namespace
}  // namespace thinwire
