#include "kernels/base/sincos.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <random>

namespace thinwire {
namespace {

template <class Real>
void expect_accurate(std::initializer_list<Real> ranges, double error) {
  std::mt19937 random(3);
  for (const Real range : ranges) {
    std::uniform_real_distribution<Real> uniform(-range, range);
    for (int i = 0; i < 20000; ++i) {
      const Real x = uniform(random);
      Real s, c;
      sincos_simd(x, s, c);
      EXPECT_NEAR(s, std::sin(static_cast<long double>(x)), error) << x;
      EXPECT_NEAR(c, std::cos(static_cast<long double>(x)), error) << x;
    }
  }
}

TEST(SincosSimd, IsAccurateOverItsRange) {
  expect_accurate<double>({1, 10, 1e3, 1e5}, 4e-16);
  expect_accurate<float>({1, 10, 1e3}, 2e-7);
}

}  // namespace
}  // namespace thinwire
