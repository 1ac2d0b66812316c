#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "kernels/element/tube_kernel.h"
#include "kernels/grid/grid_class.h"

namespace thinwire {
namespace {

/// Two unit vectors normal to t and to each other.
std::pair<Vec3, Vec3> normals(Vec3 t) {
  const Vec3 other = std::abs(t.x) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 u = cross(t, other), n = (1 / norm(u)) * u;
  return {n, cross(t, n)};
}

/// Mean of e^{-jkR}/R over both circumferences by the trapezoid rule, exact to rounding
/// at these distances.
Complex ring_pair_mean(Vec3 r, Vec3 p, Vec3 q, double a, double b, double k) {
  constexpr int points = 16;
  const auto [p1, p2] = normals(p);
  const auto [q1, q2] = normals(q);
  Complex sum = 0;
  for (int i = 0; i < points; ++i)
    for (int j = 0; j < points; ++j) {
      const double f = 2 * pi * i / points, g = 2 * pi * j / points;
      const double distance = norm(r + (b * std::cos(g)) * q1 + (b * std::sin(g)) * q2 -
                                   (a * std::cos(f)) * p1 - (a * std::sin(f)) * p2);
      sum += std::polar(1 / distance, -k * distance);
    }
  return sum / static_cast<double>(points * points);
}

/// Largest relative error of tube_series among random tubes `radii` to twice as many
/// apart.
double largest_error(double radii) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto direction = [&] {
    const double z = 2 * uniform(random) - 1, f = 2 * pi * uniform(random);
    const double s = std::sqrt(1 - z * z);
    return Vec3{s * std::cos(f), s * std::sin(f), z};
  };
  double worst = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 p = direction();
    const Vec3 q = i % 3 == 0 ? p : direction();
    const double distance = radii * (1 + uniform(random));
    const Vec3 r = distance * (i % 5 == 0 ? p : direction());
    const double b = i % 2 ? 1.0 : uniform(random);
    const double k = series_electrical_radius * uniform(random);
    const Complex want = ring_pair_mean(r, p, q, 1.0, b, k);
    const Complex got =
        tube_series(dot(r, r), dot(r, p), dot(r, q), dot(p, q), 1.0, b, k);
    worst = std::max(worst, std::abs(got - want) / std::abs(want));
  }
  return worst;
}

TEST(TubeSeries, IsTheMeanOverBothCircumferencesWhereItIsUsed) {
  const double worst = largest_error(series_radii);
  EXPECT_LT(worst, 1e-7);
  EXPECT_GT(worst, 1e-10);  // the bound is met at the edge of the range, not by luck
}

TEST(TubeSeries, ErrsByAFifthOfAGridClassFromThatOnesRadiiOn) {
  for (const GridClass& c : {grid_classes[0], grid_classes[1]})
    EXPECT_LT(largest_error(c.pair_radii), c.tolerance / 5) << c.tolerance;
  // Relative to the largest entries of Z, which is less than to the pair's own.
  EXPECT_LE(largest_error(grid_classes[2].pair_radii), 1e-7);
}

}  // namespace
}  // namespace thinwire
