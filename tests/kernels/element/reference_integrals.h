#pragma once

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/ellint_2.hpp>
#include <cmath>
#include <complex>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/element/element.h"

/// The element integrals by the definition, in long double and by other means than the
/// code under test: no arithmetic-geometric mean, no closed-form correlation, no mapped
/// variables, but Boost's quadrature and elliptic integrals on panels that shrink by a
/// factor of four towards every point where the integrand is nearly singular.
namespace thinwire::reference {

using Real = long double;
using Cplx = std::complex<Real>;

inline const Real pi_l = std::acos(Real(-1));

inline Cplx exp_over_r(Real r, Real k) {
  return {std::cos(k * r) / r, -std::sin(k * r) / r};
}

/// In a medium with loss: Im k < 0.
inline Cplx exp_over_r(Real r, Cplx k) {
  return std::exp(-Cplx(0, 1) * k * r) / r;
}

/// Mean of e^{-jkR}/R over the angle of two coaxial rings, by tanh-sinh over that angle.
inline Cplx coaxial_by_angle(Real t, Real a, Real b, Real k) {
  static boost::math::quadrature::tanh_sinh<Real> rule(12);
  const auto r = [&](Real phi) {
    const Real s = std::sin(phi / 2);
    return std::sqrt(t * t + (a - b) * (a - b) + 4 * a * b * s * s);
  };
  const Real re = rule.integrate([&](Real phi) { return std::cos(k * r(phi)) / r(phi); },
                                 Real(0), pi_l);
  const Real im = rule.integrate([&](Real phi) { return -std::sin(k * r(phi)) / r(phi); },
                                 Real(0), pi_l);
  return {re / pi_l, im / pi_l};
}

/// sin(phi/2)^2 at the points of a rule over half a turn, and their weights in a mean.
struct RingPoint {
  Real sine2, weight;
};

template <unsigned points>
const std::vector<RingPoint>& gauss_ring() {
  static const std::vector<RingPoint> ring = [] {
    using Rule = boost::math::quadrature::gauss<Real, points>;
    std::vector<RingPoint> made;
    for (std::size_t i = 0; i < Rule::abscissa().size(); ++i)
      for (const int sign : {-1, 1}) {
        const Real sine = std::sin(pi_l / 4 * (1 + sign * Rule::abscissa()[i]));
        made.push_back({sine * sine, Rule::weights()[i] / 2});
      }
    return made;
  }();
  return ring;
}

/// Integrates with the static terms as elliptic integrals and 14 points for the rest;
/// much cheaper, and itself tested against the former.
inline Cplx coaxial(Real t, Real a, Real b, Real k) {
  const Real s2 = t * t + (a + b) * (a + b);
  const Real s = std::sqrt(s2);
  const Real modulus = std::min(std::sqrt(4 * a * b / s2), Real(1));
  const Real near2 = t * t + (a - b) * (a - b), m1 = near2 / s2;
  const Real log_term = std::log(4 / std::sqrt(m1));
  const Real integral =
      m1 < 1e-9L ? log_term + (log_term - 1) * m1 / 4 : boost::math::ellint_1(modulus);
  const Real inverse = 2 / (pi_l * s) * integral;
  const Real mean = 2 * s / pi_l * boost::math::ellint_2(modulus);
  Real re = 0, im = 0;
  for (const RingPoint& point : gauss_ring<14>()) {
    const Real r = std::sqrt(near2 + 4 * a * b * point.sine2), x = k * r;
    im += point.weight * (x < 1e-4L ? k * x * x / 6 : (x - std::sin(x)) / r);
    re += point.weight * (x < 1e-2L ? k * x * x * x / 24 * (1 - x * x / 30)
                                    : (std::cos(x) - 1 + x * x / 2) / r);
  }
  return {inverse - k * k / 2 * mean + re, -k + im};
}

/// Integrates with a complex wave number: beside the ring with its static terms taken out
/// of the integral over the angle, further off by the midpoint rule.
inline Cplx coaxial(Real t, Real a, Real b, Cplx k) {
  const Real near2 = t * t + (a - b) * (a - b), far2 = near2 + 4 * a * b;
  const bool beside = near2 < far2 / 4;
  const auto distance = [&](Real sine2) { return std::sqrt(near2 + 4 * a * b * sine2); };
  Cplx sum = 0;
  if (!beside) {
    static const std::vector<Real> sines2 = [] {
      std::vector<Real> made;
      for (int i = 0; i < 16; ++i)
        made.push_back(std::pow(std::sin(pi_l * (i + Real(0.5)) / 32), 2));
      return made;
    }();
    for (const Real sine2 : sines2) sum += exp_over_r(distance(sine2), k) / Real(16);
    return sum;
  }
  const auto rest = [&](Real sine2) {
    const Real r = distance(sine2);
    const Cplx y = Cplx(0, 1) * k * r;
    if (std::abs(y) > Real(0.1))
      return (std::exp(-y) - (Real(1) - y + y * y / Real(2))) / r;
    Cplx term = y * y / Real(2), series = 0;
    for (int n = 3; n < 12; ++n) series += term *= -y / Real(n);
    return series / r;
  };
  for (const RingPoint& point : gauss_ring<20>()) sum += point.weight * rest(point.sine2);
  const Real modulus = std::min(std::sqrt(4 * a * b / far2), Real(1)), m1 = near2 / far2;
  const Real log_term = std::log(4 / std::sqrt(m1));
  const Real integral =
      m1 < 1e-9L ? log_term + (log_term - 1) * m1 / 4 : boost::math::ellint_1(modulus);
  const Real inverse = 2 / (pi_l * std::sqrt(far2)) * integral;
  const Real mean = 2 * std::sqrt(far2) / pi_l * boost::math::ellint_2(modulus);
  return inverse - Cplx(0, 1) * k - k * k / Real(2) * mean + sum;
}

/// Panels of [lo, hi] that shrink by four towards `point` (clamped to the interval) down
/// to `smallest`.
inline std::vector<Real> graded_panels(Real lo, Real hi, Real point, Real smallest) {
  const Real centre = std::min(std::max(point, lo), hi);
  std::vector<Real> below, edges;
  for (Real h = smallest; centre - h > lo; h *= 4) below.push_back(centre - h);
  edges.push_back(lo);
  edges.insert(edges.end(), below.rbegin(), below.rend());
  if (centre > lo && centre < hi) edges.push_back(centre);
  for (Real h = smallest; centre + h < hi; h *= 4) edges.push_back(centre + h);
  edges.push_back(hi);
  return edges;
}

/// Each panel cut into equal parts.
inline std::vector<Real> finer(const std::vector<Real>& edges, int cuts) {
  std::vector<Real> out;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    for (int c = 0; c < cuts; ++c) {
      out.push_back(edges[i] + (edges[i + 1] - edges[i]) * c / cuts);
    }
  }
  out.push_back(edges.back());
  return out;
}

/// Gauss rule of `points` (even) on each panel: f(x, weight).
template <unsigned points = 20, class F>
void for_gauss_points(const std::vector<Real>& edges, F&& f) {
  using Rule = boost::math::quadrature::gauss<Real, points>;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const Real mid = (edges[i] + edges[i + 1]) / 2;
    const Real half = (edges[i + 1] - edges[i]) / 2;
    for (std::size_t j = 0; j < Rule::abscissa().size(); ++j) {
      f(mid + half * Rule::abscissa()[j], half * Rule::weights()[j]);
      f(mid - half * Rule::abscissa()[j], half * Rule::weights()[j]);
    }
  }
}

/// u_i and u_i' of an element of length l at s.
struct Shapes {
  Real value[2], derivative[2];
};

/// The shapes of one element, with sin and cos of k l taken once.
class ElementShapes {
 public:
  ElementShapes(Real l, Real k)
      : k_(k), sine_(std::sin(k * l)), cosine_(std::cos(k * l)) {}

  Shapes operator()(Real s) const {
    const Real sine = std::sin(k_ * s), cosine = std::cos(k_ * s);
    return {{cosine - cosine_ * sine / sine_, sine / sine_},
            {-k_ * (cosine_ * cosine / sine_ + sine), k_ * cosine / sine_}};
  }

 private:
  Real k_, sine_, cosine_;
};

/// Sums of u_i u_j G and u_i' u_j' G, turned into impedances at the end.
struct Sums {
  Cplx value[2][2] = {}, derivative[2][2] = {};

  void add(const Shapes& p, const Shapes& q, Cplx g) {
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        value[i][j] += p.value[i] * q.value[j] * g;
        derivative[i][j] += p.derivative[i] * q.derivative[j] * g;
      }
    }
  }

  /// vector, scalar: factors of the two parts (medium_pair.h).
  ElementMatrix impedance(Real cosine, Real k, Cplx vector = 1, Cplx scalar = 1) const {
    const Real eta = eta0_ohm;
    ElementMatrix m;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        const Cplx z = Cplx(0, eta / (4 * pi_l)) * (k * cosine * vector * value[i][j] -
                                                    scalar * derivative[i][j] / k);
        m.z[i][j] = {static_cast<double>(z.real()), static_cast<double>(z.imag())};
      }
    }
    return m;
  }
};

/// Parallel elements of the same sense, the second starting `offset` further along, with
/// green(t) for an axial distance t: integrated over t = s' - s and, inside, over s.
/// `smallest` is the first panel beside t = 0.
template <class Green>
Sums parallel_sums(Green&& green, double lp, double lq, double offset, double k,
                   Real smallest) {
  Sums sums;
  const ElementShapes of_p(lp, k), of_q(lq, k);
  const Real first = Real(offset) - lp;
  const Real last = Real(offset) + lq;
  const Real knots[] = {first, std::min<Real>(offset, Real(offset) + lq - lp),
                        std::max<Real>(offset, Real(offset) + lq - lp), last};
  for (int piece = 0; piece < 3; ++piece) {
    if (!(knots[piece + 1] > knots[piece])) continue;
    for_gauss_points(graded_panels(knots[piece], knots[piece + 1], 0, smallest),
                     [&](Real t, Real w) {
                       const Cplx g = w * green(std::abs(t));
                       const Real lo = std::max<Real>(0, offset - t);
                       const Real hi = std::min<Real>(lp, Real(offset) + lq - t);
                       for_gauss_points({lo, hi}, [&](Real s, Real ws) {
                         sums.add(of_p(s), of_q(s + t - offset), ws * g);
                       });
                     });
  }
  return sums;
}
template <class Green>
ElementMatrix parallel(Green&& green, double lp, double lq, double offset, double k,
                       Real smallest) {
  return parallel_sums(green, lp, lq, offset, k, smallest).impedance(1, k);
}

/// Elements in any position, green(r) for the vector between the axes: nested panels that
/// shrink towards the nearest point of the second element, and on the first towards the
/// distance `p_point`, where each is cut into `cuts` more; `points` on each panel.
template <unsigned points = 20, class Green>
Sums general_sums(Green&& green, const Element& p, const Element& q, double k,
                  Real p_point, Real smallest, int cuts = 1) {
  Sums sums;
  const ElementShapes of_p(p.length_m, k), of_q(q.length_m, k);
  const auto component = [](Real a, Real t, Real s) { return a + s * t; };
  for_gauss_points<points>(
      finer(graded_panels(0, p.length_m, p_point, smallest), cuts), [&](Real s, Real w) {
        const Real d[3] = {q.start_m.x - component(p.start_m.x, p.tangent.x, s),
                           q.start_m.y - component(p.start_m.y, p.tangent.y, s),
                           q.start_m.z - component(p.start_m.z, p.tangent.z, s)};
        const Real foot = -(d[0] * q.tangent.x + d[1] * q.tangent.y + d[2] * q.tangent.z);
        const Shapes u = of_p(s);
        for_gauss_points<points>(graded_panels(0, q.length_m, foot, smallest),
                                 [&](Real t, Real wt) {
                                   const Real r[3] = {component(d[0], q.tangent.x, t),
                                                      component(d[1], q.tangent.y, t),
                                                      component(d[2], q.tangent.z, t)};
                                   sums.add(u, of_q(t), w * wt * green(r));
                                 });
      });
  return sums;
}
template <unsigned points = 20, class Green>
ElementMatrix general(Green&& green, const Element& p, const Element& q, double k,
                      Real p_point, Real smallest, int cuts = 1) {
  return general_sums<points>(green, p, q, k, p_point, smallest, cuts)
      .impedance(dot(p.tangent, q.tangent), k);
}

}  // namespace thinwire::reference
