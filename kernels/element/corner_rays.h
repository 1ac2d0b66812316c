#pragma once

#include <cmath>

#include "kernels/base/complex.h"
#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"
#include "kernels/element/element.h"
#include "kernels/element/pair_kernel.h"

namespace thinwire {

/// Double integrals over two elements of G times cos or sin of kx (first letter) and of
/// ky (second letter), x and y being the distances from one end of each.
template <class Real>
struct TrigMoments {
  BasicComplex<Real> cc, cs, sc, ss;

  /// Adds for one x and one y.
  THINWIRE_HD void add(double k, Real x, Real y, const BasicComplex<Real>& g) {
    const Real cx = cos(k * x);
    const Real sx = sin(k * x);
    const Real cy = cos(k * y);
    const Real sy = sin(k * y);
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

/// Threads that integrate a pair. Where several share it (near_pair_table.cu), each does
/// a part of the work, and add_up() gives each the sums of all.
struct Alone {
  THINWIRE_HD int part() const { return 0; }
  THINWIRE_HD int parts() const { return 1; }
  template <class Real>
  THINWIRE_HD void add_up(TrigMoments<Real>&) const {}
};

/// The element with its ends exchanged.
template <class Real>
THINWIRE_HD inline BasicElement<Real> turned_round(const BasicElement<Real>& e) {
  return {e.start_m + e.length_m * e.tangent, -e.tangent, e.length_m, e.radius_m};
}

/// A direction from the common end of two elements, over the plane of the distances x and
/// y from there: y / x, R / x, and the weight dv of the variable in which
/// dx dy = x dR dv.
template <class Real>
struct CornerRay {
  Real y_over_x, r_over_x, weight;
};

/// Calls visit(ray) for Gauss points over the triangle 0 <= y <= (ly / lx) x, where
/// R^2 = x^2 + y^2 - 2 x y c, with c and s the cosine and sine of the angle.
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
  for (int node = team.part(); node < panels * rule.points; node += team.parts()) {
    const int i = node % rule.points;
    const Real v = v0 + step * (node / rule.points + 0.5 * (1 + rule.node[i]));
    const Real e = exp(v);
    visit(CornerRay<Real>{c + 0.5 * s * (e - 1 / e), 0.5 * s * (e + 1 / e),
                          0.5 * step * rule.weight[i]});
  }
}

/// Adds the moments of the triangle to `sum`. `pace`: the larger of k and the wave number
/// of G, rad/m. exchanged: x belongs to the second element.
template <class Real, class Green, class Team>
THINWIRE_HD inline void add_corner_triangle(const Green& green, Real lx, Real ly, Real c,
                                            Real s, double k, double pace, bool exchanged,
                                            const Team& team, TrigMoments<Real>& sum) {
  constexpr Accuracy accuracy{8.0, 9};  // 1e-7
  TrigMoments<Real> part;
  for_each_ray(lx, ly, c, s, 7.0, 0.4 * pace * value_of(lx + ly), team,
               [&](const CornerRay<Real>& ray) {
                 const double phase =
                     pace * value_of(1 + (1 + ray.y_over_x) / ray.r_over_x);
                 graded_integral(Real(0), lx * ray.r_over_x, green.scale_m, green.width_m,
                                 phase, accuracy, [&](Real r, Real w) {
                                   const Real x = r / ray.r_over_x;
                                   part.add(k, x, ray.y_over_x * x,
                                            (ray.weight * w * x) * green(r * r));
                                 });
               });
  sum.add(part, exchanged);
}

}  // namespace thinwire
