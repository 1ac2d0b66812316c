#include "kernels/ground/cylinder_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/exp.h"
#include "kernels/ground/complex_bessel.h"

namespace thinwire {
namespace {

double worst_of(const CylinderRow& row, std::size_t i, const CylinderPair& want,
                double scale) {
  return std::max(abs(row.order_0(i) - scale * want.order_0),
                  abs(row.order_1(i) - scale * want.order_1));
}

// Against what is good to 1e-13 one by one, |kr rho| from 1e-4 to 600, both series in
// one row.
TEST(CylinderRow, HoldsTheFunctionsSideBySide) {
  std::vector<double> rho;
  for (int i = 0; i < 13; ++i) rho.push_back(0.01 * std::exp2(i));
  CylinderRow row(rho);
  double worst_j = 0, worst_h = 0;
  for (double t = 0.01; t < 8; t *= 1.07) {
    const HdComplex beside = {t, 0.02 * t / (t + 0.3)};
    row.set(CylinderFactor::bessel, beside);
    for (std::size_t i = 0; i < rho.size(); ++i)
      worst_j = std::max(worst_j, worst_of(row, i, bessel_j(rho[i] * beside), 1) *
                                      std::exp(-rho[i] * beside.im));
    const HdComplex up = {t + 1, 0.7 * t}, down = conj(up);
    row.set(CylinderFactor::half_hankel_1, up);
    for (std::size_t i = 0; i < rho.size(); ++i) {
      const CylinderPair want = hankel_1(rho[i] * up);
      worst_h = std::max(worst_h,
                         worst_of(row, i, want, 0.5) / std::max(1.0, abs(want.order_1)));
    }
    row.set(CylinderFactor::half_hankel_2, down);
    for (std::size_t i = 0; i < rho.size(); ++i) {
      const CylinderPair want = hankel_2(rho[i] * down);
      worst_h = std::max(worst_h,
                         worst_of(row, i, want, 0.5) / std::max(1.0, abs(want.order_1)));
    }
  }
  EXPECT_LT(worst_j, 1e-10);
  EXPECT_LT(worst_h, 1e-10);
  EXPECT_GT(std::min(worst_j, worst_h), 0);
}

TEST(ExpSimd, IsTheExponential) {
  for (double x = -690; x < 690; x += 0.37)
    EXPECT_NEAR(exp_simd(x) / std::exp(x), 1, 1e-15) << x;
  EXPECT_EQ(exp_simd(0), 1);
  EXPECT_LT(exp_simd(-1e6), 1e-300);
}

}  // namespace
}  // namespace thinwire
