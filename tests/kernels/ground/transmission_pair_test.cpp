#include "kernels/ground/transmission_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"
#include "kernels/element/near_pair.h"
#include "tests/kernels/ground/pair_sums.h"

namespace thinwire::transmission_pair_test {
namespace {

using namespace testing;

constexpr double k = 2 * pi;  // lengths in wavelengths

/// The sum of f over a .. b in panels that double away from both ends and from `centre`,
/// 12 Gauss points each.
template <class F>
Sums graded_sum(double a, double b, double centre, double smallest, const F& f) {
  const GaussRule rule = gauss_rule(12);
  const double c = std::clamp(centre, a, b);
  Sums sums;
  const auto from_end = [&](double end, double to) {  // graded towards `end`
    for (double near = 0, far = std::fabs(to - end); near < far;) {
      const double next = std::min(far, std::max(smallest, 1.6 * near));
      for (int i = 0; i < rule.points; ++i) {
        const double x = near + 0.5 * (next - near) * (1 + rule.node[i]);
        sums = sums +
               (0.5 * (next - near) * rule.weight[i]) * f(to > end ? end + x : end - x);
      }
      near = next;
    }
  };
  for (const auto& [from, to] : {std::pair{a, c}, std::pair{c, b}}) {
    from_end(from, 0.5 * (from + to));
    from_end(to, 0.5 * (from + to));
  }
  return sums;
}

/// The formula of buried_kernels.h with the kernels of the table, as a double integral.
ElementMatrix reference(const Element& p, const Element& q,
                        const TransmissionGroundAt& ground) {
  const auto at = [&](double s, double t) {
    const Vec3 a = p.start_m + s * p.tangent, b = q.start_m + t * q.tangent;
    const double x = a.x - b.x, y = a.y - b.y, rho = std::hypot(x, y);
    const ReflectedKernels g =
        ground.table.at(k * rho, std::max(0.0, k * a.z), std::max(0.0, -k * b.z));
    return pair_integrand(p, s, q, t, k, g);
  };
  const auto inner = [&](double s) {
    const Vec3 step = p.start_m + s * p.tangent - q.start_m;
    const double foot = dot(step, q.tangent);
    const double away = norm(step - std::clamp(foot, 0.0, q.length_m) * q.tangent);
    return graded_sum(0, q.length_m, foot, std::max(0.3 * away, 1e-8 * q.length_m),
                      [&](double t) { return at(s, t); });
  };
  const Sums sums = graded_sum(0, p.length_m, passing(p, q), 1e-8 * p.length_m, inner);
  return matrix_of(sums, k);
}

Element element(Vec3 from, Vec3 way, double length) {
  return {from, (1 / norm(way)) * way, length, 1e-4};
}

struct TransmissionCase {
  const char* name;
  Element above, below;
};
const TransmissionCase cases[] = {
    {"one wire, upright", element({0, 0, 0}, {0, 0, 1}, 0.05),
     element({0, 0, 0}, {0, 0, -1}, 0.02)},
    {"one wire, tilted", element({0, 0, 0}, {1, 0, 0.5}, 0.03),
     element({0, 0, 0}, {-1, 0, -0.5}, 0.02)},
    {"bent at the surface", element({0, 0, 0}, {1, 0, 1}, 0.03),
     element({0, 0, 0}, {0.2, 1, -0.4}, 0.02)},
    {"next to the surface", element({0, 0, 0.05}, {0, 0, -1}, 0.04),
     element({0, 0, -0.001}, {0, 0, -1}, 0.02)},
    {"radial under a wire", element({0, 0, 0.002}, {0, 0, 1}, 0.05),
     element({0, 0, -0.002}, {1, 0, 0}, 0.03)},
    {"crossed, close", element({-0.02, 0, 0.0005}, {1, 0.2, 0}, 0.05),
     element({0, -0.01, -0.0003}, {0, 1, 0}, 0.03)},
    {"side by side", element({0, 0, 0.001}, {1, 0, 0}, 0.05),
     element({0.01, 0.001, -0.01}, {-1, 0, 0}, 0.02)},
    {"skew", element({0.1, 0.02, 0.01}, {0.3, 1, 0.5}, 0.04),
     element({0, 0, -0.02}, {1, 0, -0.4}, 0.03)},
    {"far", element({0.6, 0.3, 0.1}, {0, 0, 1}, 0.05),
     element({0, 0, -0.01}, {1, 0, -0.05}, 0.02)},
};

// Held against what is there between them beside, too: e^{-jkR}/R for currents and
// 2 / (eps + 1) times that for charges, which make up most of its matrix.
TEST(TransmissionPair, MatchesQuadrature) {
  for (const Complex eps : {Complex{13, -6.4}, Complex{81, -3e3}, Complex{3, -0.06}}) {
    TransmissionPlaces places(1e-7, 8);
    places.add({0, 5, 0, 1, 0, 0.4});
    const TransmissionTable table(eps, places);
    const TransmissionGroundAt ground = {k, eps, table.view()};
    for (const TransmissionCase& c : cases) {
      const ElementMatrix got = transmission_pair(c.above, c.below, ground),
                          want = reference(c.above, c.below, ground);
      const double beside =
          2 / std::abs(eps + 1.0) *
          largest(near_pair(c.above, c.below, k, GreensKernel::reduced));
      EXPECT_LT(largest_difference(got, want) / std::max(beside, largest(want)), 1e-6)
          << c.name << ", eps " << eps;
    }
  }
}

// With the rest it is free space where there is no ground.
TEST(TransmissionPair, OfAirIsZero) {
  TransmissionPlaces places(1e-6, 8);
  places.add({0, 5, 0, 1, 0, 0.4});
  const TransmissionTable table(1.0, places);
  for (const TransmissionCase& c : cases)
    EXPECT_LT(largest(transmission_pair(c.above, c.below, {k, 1.0, table.view()})),
              1e-9 * largest(near_pair(c.above, c.below, k, GreensKernel::reduced)));
}

// Turned round, an element has its shape functions exchanged and its current reversed.
TEST(TransmissionPair, FollowsTurnedElements) {
  const Complex eps{13, -6.4};
  TransmissionPlaces places(1e-6, 8);
  places.add({0, 5, 0, 1, 0, 0.4});
  const TransmissionTable table(eps, places);
  const TransmissionGroundAt ground = {k, eps, table.view()};
  const auto turned = [](const Element& e) {
    return Element{e.start_m + e.length_m * e.tangent, -e.tangent, e.length_m,
                   e.radius_m};
  };
  for (const TransmissionCase& c : cases) {
    const ElementMatrix m = transmission_pair(c.above, c.below, ground);
    EXPECT_LT(largest_difference(
                  first_reversed(transmission_pair(turned(c.above), c.below, ground)), m),
              1e-7 * largest(m))
        << c.name;
  }
}

}  // namespace
}  // namespace thinwire::transmission_pair_test
