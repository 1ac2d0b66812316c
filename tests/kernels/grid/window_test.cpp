#include "kernels/grid/window.h"

#include <cmath>

#include <gtest/gtest.h>

#include "kernels/base/quadrature.h"

namespace thinwire {
namespace {

TEST(SpreadingWindow, PolynomialsAreTheWindowAndItsDerivatives) {
  for (const int width : {6, 7, 9}) {
    const SpreadingWindow window(width, 1.4);
    const double b = window.beta();
    for (const double f : {0.0, 0.123, 0.5, 0.999}) {
      double value[10], first[10], second[10];
      window.view().at<true>(f, value, first, second);
      for (int cell = 0; cell < width; ++cell) {
        const double x = cell + f - 0.5 * width, y = 2 * x / width;
        const double s = b * std::sqrt(std::max(0.0, 1 - y * y));
        // D I0(s) = -(4 b^2 / width^2) x I1(s)/s, and once more with I2(s)/s^2.
        const double c = 4 * b * b / (width * width), peak = std::cyl_bessel_i(0.0, b);
        const double i1 = s < 1e-4 ? 0.5 : std::cyl_bessel_i(1.0, s) / s,
                     i2 = s < 1e-3 ? 0.125 : std::cyl_bessel_i(2.0, s) / (s * s);
        EXPECT_NEAR(value[cell], std::cyl_bessel_i(0.0, s) / peak, 1e-12);
        EXPECT_NEAR(first[cell], -c * x * i1 / peak, 1e-10);
        EXPECT_NEAR(second[cell], (c * c * x * x * i2 - c * i1) / peak, 1e-8);
      }
    }
  }
}

TEST(SpreadingWindow, TransformIsThatOfTheWindow) {
  const SpreadingWindow window(7, 1.35);
  const GaussRule gauss = gauss_rule(16);
  for (const double q : {0.0, 1.1, 2.3, 3.1, 5.0}) {
    double sum = 0;
    for (int panel = 0; panel < 28; ++panel)
      for (int b = 0; b < 16; ++b) {
        const double x = -3.5 + 0.125 * (2 * panel + 1 + gauss.node[b]);
        sum += 0.125 * gauss.weight[b] * window(x) * std::cos(q * x);
      }
    EXPECT_NEAR(window.transform(q), sum, 1e-13);
  }
}

}  // namespace
}  // namespace thinwire
