#pragma once

#include <cmath>

#include "kernels/base/complex.h"
#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"
#include "kernels/base/sincos.h"
#include "kernels/element/element.h"
#include "kernels/element/pair_kernel.h"
#include "kernels/element/quadrature_order.h"

namespace thinwire {

/// Double integrals over two elements of G times cos or sin of kx (first letter) and of
/// ky (second letter), x and y being the distances from one end of each.
template <class Real>
struct TrigMoments {
  BasicComplex<Real> cc, cs, sc, ss;

  /// Adds for one x and one y.
  THINWIRE_HD void add(double k, Real x, Real y, const BasicComplex<Real>& g) {
    Real cx, sx, cy, sy;
    sincos_simd(k * x, sx, cx);
    sincos_simd(k * y, sy, cy);
    cc += (cx * cy) * g;
    cs += (cx * sy) * g;
    sc += (sx * cy) * g;
    ss += (sx * sy) * g;
  }
  /// Adds for one x: cp and sp are cos and sin of kx with the weight, c and s the
  /// integrals over y.
  THINWIRE_HD void add_row(Real cp, Real sp, const BasicComplex<Real>& c,
                           const BasicComplex<Real>& s) {
    cc += cp * c;
    cs += cp * s;
    sc += sp * c;
    ss += sp * s;
  }
  /// Adds moments in which x and y may have been exchanged.
  THINWIRE_HD void add(const TrigMoments& other, bool exchanged) {
    cc += other.cc;
    cs += exchanged ? other.sc : other.cs;
    sc += exchanged ? other.cs : other.sc;
    ss += other.ss;
  }
};

/// The element with its ends exchanged.
template <class Real>
THINWIRE_HD inline BasicElement<Real> turned_round(const BasicElement<Real>& e) {
  return {e.start_m + e.length_m * e.tangent, -e.tangent, e.length_m, e.radius_m};
}

/// Ends at which two elements meet: bit 0, the second end of p; bit 1, that of q. -1:
/// they don't.
THINWIRE_HD inline int common_end(const Element& p, const Element& q) {
  for (int ends = 0; ends < 4; ++ends) {
    const Vec3 of_p = p.start_m + (ends & 1 ? p.length_m : 0) * p.tangent,
               of_q = q.start_m + (ends & 2 ? q.length_m : 0) * q.tangent;
    if (norm(of_p - of_q) <= 1e-9 * (p.length_m + q.length_m)) return ends;
  }
  return -1;
}

/// A direction from the common end of two elements, over the plane of the distances x and
/// y from there: y / x, R / x, and the weight dv of the variable in which
/// dx dy = x dR dv.
template <class Real>
struct CornerRay {
  Real y_over_x, r_over_x, weight;
};

/// Calls visit(ray, share) for Gauss points over the triangle 0 <= y <= (ly / lx) x,
/// where R^2 = x^2 + y^2 - 2 x y c, with c and s the cosine and sine of the angle. A
/// share of the team has each ray.
///
/// With y/x = c + s sinh(v), dx dy = x dR dv: R takes the singularity of G, v that of the
/// corner (R / x = s cosh v) at any angle, however sharp. `order`: points of a panel are
/// 2 + order / asinh(pi / panel) + extra.
template <class Real, class Team, class Visit>
THINWIRE_HD inline void for_each_ray(Real lx, Real ly, Real c, Real s, double order,
                                     double extra, const Team& team, const Visit& visit) {
  const Real v0 = asinh(-c / s);
  const Real v1 = asinh((ly / lx - c) / s);
  const int panels = 1 + static_cast<int>(value_of(v1 - v0) / 2.5);
  const Real step = (v1 - v0) / panels;
  const GaussRule rule =
      gauss_rule(2 + static_cast<int>(order / std::asinh(pi / value_of(step)) + extra));
  const int rays = panels * rule.points;
  const int of_ray = team.parts() > rays ? team.parts() / rays : 1;
  const Share share{team.part() % of_ray, of_ray};
  for (int n = team.part() / of_ray; n < rays; n += team.parts() / of_ray) {
    const int i = n % rule.points;
    const Real v = v0 + step * (n / rule.points + 0.5 * (1 + rule.node[i]));
    const Real e = exp(v);
    visit(CornerRay<Real>{c + 0.5 * s * (e - 1 / e), 0.5 * s * (e + 1 / e),
                          0.5 * step * rule.weight[i]},
          share);
  }
}

/// Half of a pair of elements that leave a common point: x, on the first element, is the
/// longer way from there in units of the elements' lengths.
template <class Real>
struct CornerTriangle {
  Real lx, ly;                   ///< lengths, m
  Real c, s;                     ///< cosine and sine of the angle
  double k;                      ///< of the shape functions, rad/m
  double pace;                   ///< the larger of k and the wave number of G, rad/m
  bool exchanged;                ///< x belongs to the second element
  double nats = near_pair_nats;  ///< target error: e^-nats
};

/// Adds the moments of the triangle to `sum`.
template <class Real, class Green, class Team>
THINWIRE_APART THINWIRE_HD void add_corner_triangle(const Green& green,
                                                    const CornerTriangle<Real>& t,
                                                    const Team& team,
                                                    TrigMoments<Real>& sum) {
  const double share_of_nats = t.nats / near_pair_nats;
  const Accuracy accuracy{8 * share_of_nats, 3 + static_cast<int>(6 * share_of_nats)};
  TrigMoments<Real> part;
  for_each_ray(
      t.lx, t.ly, t.c, t.s, 7 * share_of_nats, 0.4 * t.pace * value_of(t.lx + t.ly), team,
      [&](const CornerRay<Real>& ray, const Share& share) {
        const double phase = t.pace * value_of(1 + (1 + ray.y_over_x) / ray.r_over_x);
        graded_integral(
            Real(0), t.lx * ray.r_over_x, green.scale_m, green.width_m, phase, accuracy,
            [&](Real r, Real w) {
              const Real x = r / ray.r_over_x;
              part.add(t.k, x, ray.y_over_x * x, (ray.weight * w * x) * green(r * r));
            },
            share);
      });
  sum.add(part, t.exchanged);
}

}  // namespace thinwire
