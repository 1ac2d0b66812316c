// Polarisation charges of a sheath, seen along the wire.
#include "kernels/element/sheath_kernel.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace thinwire {
namespace {

TEST(SheathKernel, IntegratesToThePotentialOfTwoDimensions) {
  for (const auto& [b, other] :
       {std::pair{1.001, 1.0}, {2.0, 1.0}, {2.0, 1.3}, {2.0, 0.2}}) {
    const SheathKernel kernel{1, b, other};
    const double length = 1e4, mean = kernel.form(1e-3, length, -0.5 * length)[0] / 1e-3;
    EXPECT_NEAR(mean, 2 * std::log(b / std::max(1.0, other)), 1e-6) << b << " " << other;
  }
}

/// Against the midpoint rule for both elements, one on the other, beside it and apart.
TEST(SheathKernel, HasFormsOfTheDoubleIntegral) {
  const SheathKernel kernel{1, 1.7, 1.2};
  const double p = 0.8, q = 2.1;
  for (const double offset : {-0.4, 0.8, 3.0}) {
    std::array<double, 9> sum{};
    constexpr int points = 500;
    for (int i = 0; i < points; ++i)
      for (int j = 0; j < points; ++j) {
        const double x = (2 * i + 1.0) / points - 1, y = (2 * j + 1.0) / points - 1,
                     k = kernel(offset + 0.5 * q * (1 + y) - 0.5 * p * (1 + x)) * p * q /
                         (points * points);
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            sum[3 * a + b] += k * std::pow(x, a) * std::pow(y, b);
      }
    const std::array<double, 9> form = kernel.form(p, q, offset);
    for (std::size_t i = 0; i < 9; ++i)
      EXPECT_NEAR(form[i], sum[i], 1e-5 * sum[0]) << offset << " " << i;
  }
}

/// Beside a wire of a sheath's radius the logarithm is that of the outer ring.
TEST(SheathKernel, SeesRingsOfTheSameRadius) {
  for (const double other : {1.0, 1.5}) {
    const SheathKernel kernel{1, 1.5, other};
    const double whole = kernel.form(1, 1, 0)[0], half = kernel.form(0.5, 0.5, 0)[0],
                 mixed = kernel.form(0.5, 0.5, 0.5)[0];
    EXPECT_NEAR(whole, 2 * half + 2 * mixed, 1e-6 * std::fabs(whole)) << other;
  }
}

}  // namespace
}  // namespace thinwire
