#include "kernels/ground/half_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/ground/complex_bessel.h"

namespace thinwire {
namespace {

struct GoldenKernels {
  double eps_r, loss;  ///< eps = eps_r - j loss
  double rho, zeta;
  double value[8];
};
constexpr GoldenKernels golden[] = {
#include "half_space_values.h"
};

/// Largest difference of the four, of an image.
double difference(const ReflectedKernels& a, const ReflectedKernels& b, double r) {
  return r *
         std::max({abs(a.h - b.h), abs(a.phi - b.phi), abs(a.zz - b.zz), abs(a.q - b.q)});
}

TEST(ComplexBessel, MatchesReferenceValues) {
  // mpmath, besselj and hankel1 at 25 digits: a point of every method.
  const auto expect_near = [](HdComplex got, HdComplex want) {
    EXPECT_LT(abs(got - want), 2e-13 * abs(want));
  };
  expect_near(bessel_j({7.9, 2}).order_0, {0.62511206583802071, -0.82438055388485983});
  expect_near(bessel_j({15, 1}).order_1, {0.31474540509485232, -0.035186214646730673});
  expect_near(hankel_1({1.5, 1.2}).order_1, {0.092314473727518041, -0.17269252763111274});
  expect_near(hankel_1({5, 4}).order_0, {-0.0042818773884266603, -0.0037688595753209483});
  expect_near(hankel_1({19, 3}).order_1,
              {-0.0058148946203895645, -0.0069858855696533804});
  expect_near(hankel_2({5, -4}).order_0,
              conj(HdComplex{-0.0042818773884266603, -0.0037688595753209483}));
}

// Adaptive quadrature in 80-bit numbers on another path, tests/golden/half_space.py: from
// 1e-7 to 10 wavelengths, from straight above to along the surface, from nearly air to
// sea water at 0.1 MHz.
TEST(HalfSpace, ReflectedKernelsMatchQuadratureOfHigherPrecision) {
  for (const GoldenKernels& g : golden) {
    const double* v = g.value;
    const ReflectedKernels want = {
        {v[0], v[1]}, {v[2], v[3]}, {v[4], v[5]}, {v[6], v[7]}};
    const ReflectedKernels got = reflected_kernels({g.eps_r, -g.loss}, g.rho, g.zeta);
    EXPECT_LT(difference(got, want, std::hypot(g.rho, g.zeta)), 1e-11)
        << "eps " << g.eps_r << " - j" << g.loss << " at " << g.rho << ", " << g.zeta;
  }
}

TEST(HalfSpace, AirReflectsNothing) {
  EXPECT_EQ(difference(reflected_kernels(1.0, 0.3, 0.2), {}, 1), 0);
}

// A perfect conductor's image: -G for horizontal current and charges, G for vertical
// current. What is left of it falls as 1 / |sqrt(eps)|.
TEST(HalfSpace, GoesOverIntoThePerfectImage) {
  for (const double rho : {0.3, 2.0, 20.0})
    for (const double zeta : {0.1, 3.0}) {
      const double r = std::hypot(rho, zeta);
      const HdComplex g = {std::cos(r) / r, -std::sin(r) / r};
      const ReflectedKernels image = {-1.0 * g, -1.0 * g, g, {0, 0}};
      const double at_1e3 = difference(reflected_kernels({1, -1e6}, rho, zeta), image, r);
      const double at_1e4 = difference(reflected_kernels({1, -1e8}, rho, zeta), image, r);
      EXPECT_LT(at_1e4, 2e-3);
      EXPECT_NEAR(at_1e4 / at_1e3, 0.1, 0.02) << rho << ' ' << zeta;
    }
}

// Next to the ground the charges' kernel is an image of -C0, that of vertical currents
// one of 2 C0, and Q that of a line of them; the rest is of the order of k R log R.
TEST(HalfSpace, GoesOverIntoTheStaticImage) {
  const Complex eps{13, -6};
  const Complex c0 = image_strength(eps);
  const double rho = 3e-6, zeta = 1e-6, r = std::hypot(rho, zeta);
  const ReflectedKernels k = reflected_kernels(eps, rho, zeta);
  EXPECT_LT(r * std::abs(Complex(k.phi) + c0 / r), 1e-4);
  EXPECT_LT(r * std::abs(Complex(k.zz) - 2.0 * c0 / r), 1e-4);
  EXPECT_LT(r * std::abs(Complex(k.q) + c0 * rho / (r * (r + zeta))), 1e-4);
  EXPECT_LT(r * abs(k.h), 1e-4);
}

// The grid works on a path for its whole range, a point on its own.
TEST(HalfSpace, AGridHoldsItsPoints) {
  const double rho[] = {1.0, 1.4, 2.0}, zeta[] = {0, 0.2, 0.9, 2};
  ReflectedKernels grid[12];
  const Complex eps{20, -3};
  reflected_kernels_grid(eps, {1, 2, 0, 2}, rho, zeta, grid);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_LT(difference(grid[4 * i + j], reflected_kernels(eps, rho[i], zeta[j]), 3),
                1e-9);
}

}  // namespace
}  // namespace thinwire
