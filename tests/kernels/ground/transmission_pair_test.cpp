#include "kernels/ground/transmission_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"
#include "kernels/element/near_pair.h"

namespace thinwire::transmission_pair_test {
namespace {

constexpr double k = 2 * pi;  // lengths in wavelengths

struct Sums {
  Complex z[4] = {};
};
Sums operator+(Sums a, const Sums& b) {
  for (int i = 0; i < 4; ++i) a.z[i] += b.z[i];
  return a;
}
Sums operator*(double s, Sums a) {
  for (Complex& z : a.z) z *= s;
  return a;
}

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
    const Vec3 r = rho > 0 ? Vec3{x / rho, y / rho, 0} : Vec3{};
    const Vec3 &tp = p.tangent, &tq = q.tangent;
    const Complex vector = (tp.x * tq.x + tp.y * tq.y) * Complex(g.h) +
                           tp.z * tq.z * Complex(g.zz) +
                           (tp.z * dot(tq, r) - dot(tp, r) * tq.z) * Complex(g.q);
    const auto shapes = [](const Element& e, double d, double u[2], double du[2]) {
      const double over = 1 / std::sin(k * e.length_m);
      u[0] = over * std::sin(k * (e.length_m - d));
      u[1] = over * std::sin(k * d);
      du[0] = -over * std::cos(k * (e.length_m - d));
      du[1] = over * std::cos(k * d);
    };
    double u[2], du[2], v[2], dv[2];
    shapes(p, s, u, du);
    shapes(q, t, v, dv);
    Sums sums;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        sums.z[2 * i + j] = u[i] * v[j] * vector - du[i] * dv[j] * Complex(g.phi);
    return sums;
  };
  const auto inner = [&](double s) {
    const Vec3 step = p.start_m + s * p.tangent - q.start_m;
    const double foot = dot(step, q.tangent);
    const double away = norm(step - std::clamp(foot, 0.0, q.length_m) * q.tangent);
    return graded_sum(0, q.length_m, foot, std::max(0.3 * away, 1e-8 * q.length_m),
                      [&](double t) { return at(s, t); });
  };
  const Vec3 step = q.start_m - p.start_m;
  const double c = dot(p.tangent, q.tangent);
  const double passing =
      c * c > 1 - 1e-9 ? 0
                       : (dot(step, p.tangent) - c * dot(step, q.tangent)) / (1 - c * c);
  const Sums sums = graded_sum(0, p.length_m, passing, 1e-8 * p.length_m, inner);
  ElementMatrix m;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const Complex z = Complex(0, k * k * eta0_ohm / (4 * pi)) * sums.z[2 * i + j];
      m.z[i][j] = {z.real(), z.imag()};
    }
  return m;
}

double largest(const ElementMatrix& m) {
  double size = 0;
  for (const auto& row : m.z)
    for (const HdComplex z : row) size = std::max(size, abs(z));
  return size;
}

double largest_difference(ElementMatrix a, const ElementMatrix& b) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) a.z[i][j] += -1.0 * b.z[i][j];
  return largest(a);
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
