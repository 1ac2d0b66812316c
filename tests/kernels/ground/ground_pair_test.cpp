#include "kernels/ground/ground_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"
#include "kernels/element/medium.h"
#include "kernels/element/near_pair.h"
#include "tests/kernels/ground/pair_sums.h"

namespace thinwire::ground_pair_test {
namespace {

using namespace testing;

/// The sum of f over a .. b in panels that double away from `centre`, `smallest` beside
/// it, 12 Gauss points each.
template <class F>
auto graded_sum(double a, double b, double centre, double smallest, const F& f) {
  decltype(f(a)) sum{};
  const GaussRule rule = gauss_rule(12);
  for (const double sign : {-1.0, 1.0}) {
    double from = std::clamp(centre, a, b);
    const double end = sign > 0 ? b : a;
    for (double length = smallest; from != end;
         length = std::max(smallest, 0.6 * std::fabs(from - centre))) {
      const double to =
          sign > 0 ? std::min(from + length, end) : std::max(from - length, end);
      for (int i = 0; i < rule.points; ++i) {
        const double half = 0.5 * (to - from);
        sum = sum +
              (std::fabs(half) * rule.weight[i]) * f(from + half * (1 + rule.node[i]));
      }
      from = to;
    }
  }
  return sum;
}

/// The formula of half_space.h less that of an image of -C0, as a double integral: the
/// inner one graded towards the point nearest to the other's image, the outer one towards
/// both its ends.
ElementMatrix reference(const Element& p, const Element& q, const GroundAt& ground) {
  const double k = ground.k_rad_per_m;
  const auto at = [&](double s, double t) {
    const Vec3 a = p.start_m + s * p.tangent, b = q.start_m + t * q.tangent;
    const double x = a.x - b.x, y = a.y - b.y, rho = std::hypot(x, y);
    const ReflectedKernels g = ground.table.at(k * rho, k * (a.z + b.z));
    return pair_integrand(p, s, q, t, k, g);
  };
  const auto inner = [&](double s) {
    Vec3 image = p.start_m + s * p.tangent;
    image.z = -image.z;
    const Vec3 step = image - q.start_m;
    const double nearest = dot(step, q.tangent);
    const double foot = std::clamp(nearest, 0.0, q.length_m);
    const double away = norm(step - foot * q.tangent);
    return graded_sum(0, q.length_m, nearest, std::max(0.3 * away, 1e-9 * q.length_m),
                      [&](double t) { return at(s, t); });
  };
  // Where the line of p's image passes that of q.
  const Element image = Medium::perfect_ground().source(p, 1);
  const double middle = std::clamp(passing(image, q), 0.0, p.length_m);
  const double smallest = 1e-8 * p.length_m;
  Sums sums;
  for (const auto& [from, to] : {std::pair{0.0, middle}, std::pair{middle, p.length_m}}) {
    const double half = 0.5 * (from + to);
    sums = sums + graded_sum(from, half, from, smallest, inner) +
           graded_sum(half, to, to, smallest, inner);
  }
  return matrix_of(sums, k);
}

/// An element of 0.05 wavelengths (of 1 m) from a point along a direction.
Element element(Vec3 from, Vec3 way, double length = 0.05) {
  return {from, (1 / norm(way)) * way, length, 1e-7};
}

constexpr double k = 2 * pi;

/// Expects errors below 1e-6 of the largest entry of what the ground adds, of pairs at a
/// height: parallel, opposed, end on, vertical, tilted, crossed, skew.
void expect_right(const GroundAt& ground, double h) {
  const Element pairs[][2] = {
      {element({0, 0, h}, {1, 0, 0}), element({0, 0, h}, {1, 0, 0})},
      {element({0, 0, h}, {1, 0, 0}), element({0.07, 0.001, 2 * h}, {-1, 0, 0}, 0.03)},
      {element({0, 0, h}, {1, 0, 0}), element({0.05, 0, h}, {1, 0, 0}, 0.02)},
      {element({0, 0, h}, {0, 0, 1}), element({0, 0, h}, {0, 0, 1})},
      {element({0, 0, h + 0.05}, {0, 0, -1}), element({0.002, 0, h}, {0, 0, 1}, 0.02)},
      {element({0, 0, h}, {1, 0, 0}), element({0, 0, h}, {0, 0, 1})},
      {element({0, 0, h}, {1, 0, 1}), element({0, 0, h}, {1, 0, 1})},
      {element({0, 0, h}, {1, 0, 1}), element({0, 0, h}, {1, 0.3, 0.2}, 0.03)},
      {element({-0.02, 0, h}, {1, 0.2, 0}), element({0, -0.02, 1.5 * h}, {0, 1, 0})},
      {element({0, 0, h}, {1, 0, 0.1}), element({0.2, 0.1, h}, {0.3, 1, 0.5})},
  };
  for (const auto& pair : pairs) {
    const Element &p = pair[0], &q = pair[1];
    const ElementMatrix got = ground_pair(p, q, ground), want = reference(p, q, ground);
    const ElementMatrix image =
        near_pair(Medium::perfect_ground().source(p, 1), q, k, GreensKernel::reduced);
    const double charges =  // of the image, which the image's matrix consists of mostly
        std::abs(image_strength(ground.eps)) /
        (ground.side == GroundSide::above ? 1 : std::abs(ground.eps));
    const double size = std::max(largest(want), charges * largest(image));
    const double error = largest_difference(got, want) / size;
    EXPECT_LT(error, 1e-6) << "height " << h << ", pair " << &pair - pairs;
    const double exchanged =
        largest_difference(transposed(ground_pair(q, p, ground)), got);
    const bool same = p.start_m == q.start_m && p.tangent == q.tangent;
    EXPECT_TRUE(same || exchanged == 0) << "height " << h << ", pair " << &pair - pairs;
  }
}

TEST(GroundPair, MatchesQuadratureAtEveryHeight) {
  for (const Complex eps : {Complex{13, -6.4}, Complex{81, -3e4}}) {
    const GroundTable table(eps, 1e-6, 20);
    const GroundAt ground = {k, eps, table.view()};
    for (const double h : {1.0, 0.1, 0.01, 1e-3, 1e-6}) expect_right(ground, h);
  }
}

// Elements below, mirrored.
TEST(GroundPair, MatchesQuadratureAtEveryDepth) {
  for (const Complex eps : {Complex{13, -6.4}, Complex{81, -3e4}}) {
    const GroundTable table(eps, 1e-6, 20, GroundSide::below);
    const GroundAt ground = {k, eps, table.view(), GroundSide::below};
    for (const double h : {1.0, 0.1, 0.01, 1e-3, 1e-6}) expect_right(ground, h);
  }
}

// Ends on the ground, where the kernels are singular.
TEST(GroundPair, MatchesQuadratureOnTheGround) {
  const Complex eps{13, -6.4};
  const GroundTable table(eps, 1e-9, 20);
  const GroundAt ground = {k, eps, table.view()};
  for (const Vec3 way : {Vec3{0, 0, 1}, Vec3{1, 0, 1}, Vec3{1, 0, 0.2}}) {
    const Element e = element({0, 0, 0}, way);
    const ElementMatrix image =
        near_pair(Medium::perfect_ground().source(e, 1), e, k, GreensKernel::reduced);
    EXPECT_LT(largest_difference(ground_pair(e, e, ground), reference(e, e, ground)),
              1e-6 * std::abs(image_strength(eps)) * largest(image));
  }
}

}  // namespace
}  // namespace thinwire::ground_pair_test
