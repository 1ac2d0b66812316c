// Points of currents against integrals over the wires' tubes.
#include "kernels/ground/source_points.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "kernels/base/constants.h"

namespace thinwire::source_points_test {
namespace {

constexpr double k = 2 * pi;
constexpr Vec3 observer{0.1, -0.2, -0.3};

/// The integrals of I and I'/k times e^{-jqR}/R.
using Integrals = std::array<Complex, 2>;

Complex wave_from(Vec3 at, Complex q) {
  const double r = norm(at - observer);
  return std::exp(Complex(0, -1) * q * r) / r;
}

CurrentSources element_at(double distance, double length, double radius, Complex k2,
                          bool below) {
  const Vec3 along{0.48, 0.6, 0.64}, away{0.8, -0.64, 0};
  Element element{};
  element.start_m = observer + distance * away;
  element.tangent = along;
  element.length_m = length;
  element.radius_m = radius;
  return {{element}, {{1, 0.4}, {0.3, -0.8}}, k, k2, below ? std::abs(k2) : 0};
}

Integrals by_points(const CurrentSources& sources, bool tubes) {
  Integrals sum{};
  visit_source_points(
      sources, {observer.x, observer.y, -observer.z},
      [&](const SourcePoint& s) {
        const Complex wave = wave_from(s.at_m, sources.wave_rad_per_m());
        sum[0] += s.moment * wave;
        sum[1] += s.derivative * wave;
      },
      tubes);
  return sum;
}

/// 16 points along each of eight parts, 32 around.
Integrals over_tube(const CurrentSources& sources) {
  constexpr int parts = 8, around = 32;
  const Element& e = sources.elements[0];
  const GaussRule rule = gauss_rule(16);
  const Vec3 aside = cross(e.tangent, Vec3{0, 0, 1}),
             u = (e.radius_m / norm(aside)) * aside, v = cross(e.tangent, u);
  Integrals sum{};
  for (int part = 0; part < parts; ++part)
    for (int b = 0; b < rule.points; ++b) {
      const double s = e.length_m * (part + 0.5 * (1 + rule.node[b])) / parts,
                   weight = 0.5 * e.length_m * rule.weight[b] / parts /
                            std::sin(k * e.length_m) / around,
                   rest = e.length_m - s;
      const Complex start = sources.end_current_a[0], end = sources.end_current_a[1];
      for (int n = 0; n < around; ++n) {
        const double phi = 2 * pi * n / around;
        const Complex wave =
            wave_from(e.start_m + s * e.tangent + std::cos(phi) * u + std::sin(phi) * v,
                      sources.wave_rad_per_m());
        sum[0] += weight * wave * (start * std::sin(k * rest) + end * std::sin(k * s));
        sum[1] += weight * wave * (end * std::cos(k * s) - start * std::cos(k * rest));
      }
    }
  return sum;
}

// In the air and in water, where the wave turns quickly.
TEST(SourcePoints, StandForTheCircumference) {
  const Complex k2 = k * std::sqrt(Complex(81, -0.6));
  for (const bool below : {false, true})
    for (const double length : {0.015, 0.03, 0.1})
      for (const double radius : {2e-4, 1e-3, 3e-3})
        for (const double radii : {105.0, 400.0, 2000.0}) {
          const CurrentSources sources =
              element_at(radii * radius, length, radius, k2, below);
          const Integrals want = over_tube(sources), got = by_points(sources, true),
                          axis = by_points(sources, false);
          for (int n = 0; n < 2; ++n) {
            const double size = length * std::abs(wave_from(sources.elements[0].start_m,
                                                            sources.wave_rad_per_m()));
            const double by = n == 0 ? size : size / (k * length);
            EXPECT_LT(std::abs(got[n] - want[n]), 5e-8 * by)
                << below << ' ' << length << ' ' << radius << ' ' << radii << ' ' << n;
            if (radii < 110) {
              EXPECT_GT(std::abs(axis[n] - want[n]), 1e-7 * by) << "no difference";
            }
          }
        }
}

TEST(SourcePoints, SecondDerivativesAreThoseOfPolynomials) {
  for (const int points : {1, 2, 3, 6, 16}) {
    const GaussRule rule = gauss_rule(points);
    const std::vector<double>& d = second_derivatives(points);
    for (int power = 0; power < points; ++power)
      for (int at = 0; at < points; ++at) {
        double sum = 0;
        for (int b = 0; b < points; ++b)
          sum += d[at * points + b] * std::pow(rule.node[b], power);
        const double want =
            power < 2 ? 0 : power * (power - 1) * std::pow(rule.node[at], power - 2);
        EXPECT_NEAR(sum, want, 1e-9) << points << ' ' << power << ' ' << at;
      }
  }
}

}  // namespace
}  // namespace thinwire::source_points_test
