#include "kernels/ground/coefficient_ground.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/element/medium.h"
#include "kernels/element/near_pair.h"

namespace thinwire::coefficient_ground_test {
namespace {

constexpr double k = 2 * pi;

ReflectingSurface dielectric(Complex eps) {
  ReflectingSurface surface;
  surface.eps = eps;
  surface.k_rad_per_m = k;
  return surface;
}

ReflectingSurface conductor() {
  ReflectingSurface surface = dielectric(1);
  surface.conductor = true;
  return surface;
}

// On a perfect conductor it is the image: near pairs by another code, filaments.
TEST(CoefficientGround, OfAConductorIsTheImage) {
  const Element p = {{0, 0, 0.05}, {1, 0, 0}, 0.05, 1e-9};
  const double s = std::sqrt(0.5);
  for (const Element& q : {Element{{0, 0, 0.05}, {1, 0, 0}, 0.05, 1e-9},
                           Element{{0.02, 0.01, 0.02}, {0, s, s}, 0.04, 1e-9},
                           Element{{0.3, -0.2, 0.1}, {0, 0, 1}, 0.06, 1e-9}}) {
    // The sum over a junction, in which end charges cancel: a triangle-like function of
    // two halves against q as one of two halves.
    const auto halves = [](const Element& e) {
      return std::array{Element{e.start_m, e.tangent, 0.5 * e.length_m, e.radius_m},
                        Element{e.start_m + 0.5 * e.length_m * e.tangent, e.tangent,
                                0.5 * e.length_m, e.radius_m}};
    };
    Complex got = 0, want = 0;
    double size = 0;
    const auto ps = halves(p), qs = halves(q);
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b) {
        const ElementMatrix m = coefficient_pair(ps[a], qs[b], conductor());
        const ElementMatrix image = near_pair(Medium::perfect_ground().source(ps[a], 1),
                                              qs[b], k, GreensKernel::reduced);
        // The end of the first half joins the start of the second.
        const Complex g = m.z[a == 0 ? 1 : 0][b == 0 ? 1 : 0];
        const Complex w = image.z[a == 0 ? 1 : 0][b == 0 ? 1 : 0];
        got += g;
        want -= w;
        size = std::max(size, std::abs(w));
      }
    EXPECT_LT(std::abs(got - want), 2e-6 * size) << q.start_m.x;
  }
}

TEST(CoefficientGround, IsSymmetric) {
  const Element p = {{0, 0, 0.2}, {0.6, 0, 0.8}, 0.05, 1e-3};
  const Element q = {{0.3, -0.2, 0.1}, {0, 0.6, -0.8}, 0.08, 1e-3};
  ReflectingSurface surface = dielectric({13, -6});
  surface.radials = 8;
  surface.screen_radius_m = 0.3;
  surface.wire_radius_m = 1e-3;
  const ElementMatrix there = coefficient_pair(p, q, surface),
                      back = transposed(coefficient_pair(q, p, surface));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      EXPECT_LT(abs(there.z[i][j] - back.z[i][j]), 1e-6 * abs(there.z[0][0]));
}

// A dense screen is a conductor within its radius; beyond it there is the ground.
TEST(ReflectingSurface, HasTheScreenWithinItsRadius) {
  ReflectingSurface surface = dielectric({13, -6});
  surface.radials = 100'000;
  surface.screen_radius_m = 10;
  surface.wire_radius_m = 1e-6;
  EXPECT_LT(std::abs(surface.at(0.3, 5).theta - 1.0), 0.01);
  EXPECT_LT(std::abs(surface.at(0.3, 5).phi + 1.0), 0.01);
  EXPECT_EQ(surface.at(0.3, 11).theta, plane_wave_reflection({13, -6}, 0.3).theta);
  // 30 wires, at 0.2 wavelengths: eta0 / sqrt(eps) beside j eta0 0.0419 ln(202).
  surface.radials = 30;
  surface.wire_radius_m = 1e-3 / 30;
  const Complex screen(0, 2 * pi * 0.201 / 30 * std::log(201.0));
  const Complex ground = 1.0 / std::sqrt(Complex(13, -6));
  const Complex both = 1.0 / (1.0 / screen + 1.0 / ground);
  EXPECT_LT(std::abs(surface.at(1, 0.2).theta - (1.0 - both) / (1.0 + both)), 1e-12);
}

TEST(ReflectingSurface, HasTheDerivativesOfDifferences) {
  ReflectingSurface surface = dielectric({13, -6});
  surface.radials = 12;
  surface.screen_radius_m = 0.3;
  surface.wire_radius_m = 1e-3;
  for (const double distance : {0.1, 0.4})  // on the screen and beside it
    for (const double cosine : {0.05, 0.4, 1.0}) {
      const ReflectingSurface::Derivatives got = surface.derivatives(cosine, distance);
      const double step = 1e-5;
      const auto expect = [&](const PlaneWaveReflection& more,
                              const PlaneWaveReflection& less,
                              const PlaneWaveReflection& derivative) {
        EXPECT_LT(std::abs((more.theta - less.theta) / (2 * step) - derivative.theta),
                  1e-6 * std::abs(derivative.theta) + 1e-10);
        EXPECT_LT(std::abs((more.phi - less.phi) / (2 * step) - derivative.phi),
                  1e-6 * std::abs(derivative.phi) + 1e-10);
      };
      expect(surface.at(cosine + step, distance), surface.at(cosine - step, distance),
             got.by_cos_theta);
      expect(surface.at(cosine, distance + step), surface.at(cosine, distance - step),
             got.by_distance);
    }
}

TEST(ReflectingSurface, MeetsTheRayWhereBothAnglesAreEqual) {
  // From 1 m up to 3 m up, 4 m apart: a quarter of the way.
  EXPECT_NEAR(specular_distance(Vec3{2, 0, 1}, Vec3{2, 4, 3}), std::hypot(2.0, 1.0),
              1e-15);
}

}  // namespace
}  // namespace thinwire::coefficient_ground_test
