// Derivatives of the far Green's functions written out, against dual numbers.
#include "kernels/gradient/far_derivatives.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace thinwire::far_derivatives_test {
namespace {

using Number = Dual<6>;

/// r2, zp, zq, c, a, b at random, far apart for radii of about 1e-3.
struct Place {
  Number x[6];

  explicit Place(std::mt19937& random) {
    std::uniform_real_distribution<double> part(-1, 1);
    const double r = 0.1 * std::exp(2 * part(random));
    const double at[] = {r * r,
                         r * part(random),
                         r * part(random),
                         part(random),
                         1e-3 * (1.5 + part(random)),
                         1e-3 * (1.5 + part(random))};
    for (int i = 0; i < 6; ++i) {
      x[i] = at[i];
      x[i].derivative[i] = 1;
    }
  }
  double at(int i) const { return x[i].value; }
};

void expect_same(const GreensDerivatives& got, const BasicComplex<Number>& expected) {
  const double re[] = {got.by_r2_re, got.by_zp_re, got.by_zq_re,
                       got.by_c_re,  got.by_a_re,  got.by_b_re},
               im[] = {got.by_r2_im, got.by_zp_im, got.by_zq_im,
                       got.by_c_im,  got.by_a_im,  got.by_b_im};
  EXPECT_NEAR(got.re, expected.re.value, 1e-14 * std::fabs(expected.re.value) + 1e-14);
  EXPECT_NEAR(got.im, expected.im.value, 1e-14 * std::fabs(expected.im.value) + 1e-14);
  for (int i = 0; i < 6; ++i) {
    const double size = std::hypot(expected.re.derivative[i], expected.im.derivative[i]);
    EXPECT_NEAR(re[i], expected.re.derivative[i], 1e-11 * size) << "argument " << i;
    EXPECT_NEAR(im[i], expected.im.derivative[i], 1e-11 * size) << "argument " << i;
  }
}

constexpr double k = 3;

TEST(FarDerivatives, OfFarGreens) {
  std::mt19937 random(3);
  for (int n = 0; n < 100; ++n)
    for (const GreensKernel kernel : {GreensKernel::exact, GreensKernel::reduced}) {
      const Place p(random);
      const Number a2 = p.x[4] * p.x[4], b2 = p.x[5] * p.x[5];
      const RadiusTerms<Number> radius =
          kernel == GreensKernel::exact ? RadiusTerms<Number>{0.25 * a2, 0.25 * b2, 0}
                                        : RadiusTerms<Number>{0, 0, 0.5 * (a2 + b2)};
      expect_same(far_greens_derivatives(p.at(0), p.at(1), p.at(2), p.at(4), p.at(5), k,
                                         RadiusShares::of(kernel)),
                  far_greens(p.x[0], p.x[1], p.x[2], k, radius));
    }
}

TEST(FarDerivatives, OfTubeSeries) {
  std::mt19937 random(4);
  for (int n = 0; n < 100; ++n) {
    const Place p(random);
    expect_same(
        tube_series_derivatives(p.at(0), p.at(1), p.at(2), p.at(3), p.at(4), p.at(5), k),
        tube_series(p.x[0], p.x[1], p.x[2], p.x[3], p.x[4], p.x[5], k));
  }
}

}  // namespace
}  // namespace thinwire::far_derivatives_test
