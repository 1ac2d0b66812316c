#include "kernels/ground/far_path.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/ground/complex_bessel.h"
#include "kernels/ground/reflection_spectra.h"

namespace thinwire::far_path_test {
namespace {

/// Sum of f(point) e^{-u1 zeta} J0(kr rho) kr over a path.
template <class Spectrum>
Complex integral(const SpectralPath& path, double rho, double zeta, const Spectrum& f) {
  Complex sum = 0;
  const auto add = [&](CylinderFactor factor, const std::vector<PathPoint>& points) {
    for (const PathPoint& p : points) {
      const HdComplex j =
          cylinder(factor, HdComplex{p.kr.real() * rho, p.kr.imag() * rho}).order_0;
      sum += p.weight * p.kr * f(p) * std::exp(-p.u1 * zeta) * Complex(j.re, j.im);
    }
  };
  add(CylinderFactor::bessel, path.bessel);
  add(CylinderFactor::half_hankel_1, path.hankel_1);
  add(CylinderFactor::half_hankel_2, path.hankel_2);
  return sum;
}

/// Soil, sand, sea, fresh water, without loss, nearly air.
const Complex grounds[] = {{13, -3},   {3, -0.05}, {81, -900},  {80, -0.2},
                           {81, -3e4}, {4, 0},     {1.5, -0.01}};

/// S{1} = e^{-jR}/R: Sommerfeld's own identity.
TEST(FarPath, GivesTheSphericalWave) {
  for (const Complex eps : grounds)
    for (const double rho : {310.0, 3e3, 1.2e5})
      for (const double zeta : {1e-3, 3.0, 3.9 * std::sqrt(rho)}) {
        const ReflectionRange range{rho, 1.4 * rho, 0.5 * zeta, zeta};
        ASSERT_TRUE(is_far(eps, range));
        const SpectralPath path = far_path(eps, range);
        for (const double at : {rho, 1.2 * rho, 1.4 * rho}) {
          const double r = std::hypot(at, zeta);
          const Complex got =
              integral(path, at, zeta, [](const PathPoint& p) { return 1.0 / p.u1; });
          EXPECT_LT(std::abs(got - std::polar(1 / r, -r)) * r, 1e-8)
              << eps << ", rho " << at << ", zeta " << zeta;
        }
      }
}

/// Against the ordinary path, which follows every radian.
TEST(FarPath, AgreesWithTheOrdinaryPath) {
  for (const Complex eps : grounds)
    for (const double rho : {310.0, 2e3})
      for (const double zeta : {1e-3, 3.0, 3.9 * std::sqrt(rho)}) {
        const ReflectionRange range{rho, rho, zeta, zeta};
        const SpectralPath ordinary = spectral_path(eps, above_surface(range), fine_path);
        const SpectralPath far = far_path(eps, range);
        const auto both = [&](const auto& f) {
          return std::abs(integral(far, rho, zeta, f) -
                          integral(ordinary, rho, zeta, f)) *
                 rho;
        };
        EXPECT_LT(both([&](const PathPoint& p) {
                    return reflection_spectra(eps, p.u1, p.u2).rh / p.u1;
                  }),
                  1e-8)
            << eps << ", rho " << rho << ", zeta " << zeta;
        EXPECT_LT(both([&](const PathPoint& p) {
                    return reflection_spectra(eps, p.u1, p.u2).phi / p.u1;
                  }),
                  1e-8)
            << eps << ", rho " << rho << ", zeta " << zeta;
      }
}

TEST(FarPath, TakesAsManyPointsNearAndFar) {
  const auto points = [](double rho) {
    const SpectralPath path = far_path({13, -3}, {rho, 1.5 * rho, 0, 10});
    return path.bessel.size() + path.hankel_1.size() + path.hankel_2.size();
  };
  EXPECT_LT(points(1e5), 1.2 * static_cast<double>(points(1e3)));
  EXPECT_LT(points(1e5), 1000u);
  EXPECT_FALSE(is_far({13, -3}, {100, 150, 0, 1}));       // too near
  EXPECT_FALSE(is_far({13, -3}, {1e3, 1.5e3, 0, 300}));   // too high
  EXPECT_FALSE(is_far({1.0001, 0}, {1e3, 1.5e3, 0, 1}));  // the cuts too close
}

}  // namespace
}  // namespace thinwire::far_path_test
