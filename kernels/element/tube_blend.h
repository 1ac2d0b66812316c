#pragma once

#include <cmath>

#include "kernels/element/corner_rays.h"
#include "kernels/element/element.h"
#include "kernels/element/tube_kernel.h"

namespace thinwire {

// Exact kernel of two tubes of radii a and b that may intersect. For points of their axes
// that are a vector r apart, R = |r|,
//   G = (1 - w) G_axis(R) + w G_tubes(r),   w = t^3 (10 - 15 t + 6 t^2) for 0 <= t <= 1,
//   t = (R^2 - (a + b)^2) / (beta (zp^2 + zq^2)).
// G_tubes is the mean over both circumferences, G_axis that over two coaxial rings at
// axial distance R; zp and zq are the components of r along the two tangents. w is 0
// where R <= a + b, since the circumferences may cross there, and then rises smoothly
// to 1. Along a wire that hardly bends w is 1 from R = 2 (a + b) on. Between tubes side
// by side, where zp and zq vanish, w is 1 as soon as their surfaces separate. On a
// straight wire both means are equal. G depends on the two points, their tangents and the
// radii alone, and therefore not on the mesh. (docs/theory/method.md)

/// beta; below 1/2, so that w reaches 1 in every direction.
inline constexpr double blend_beta = 0.375;
/// R / (a + b) from which w is 1 in every direction: (1 - 2 beta)^(-1/2).
inline constexpr double blend_reach = 2;

/// Returns w. r2: R^2, radii: a + b.
template <class Real>
THINWIRE_HD inline Real tubes_weight(Real r2, Real zp, Real zq, Real radii) {
  const Real excess = r2 - radii * radii, rise = blend_beta * (zp * zp + zq * zq);
  if (!(excess > 0)) return Real(0);
  if (excess >= rise) return Real(1);
  const Real t = excess / rise;
  return t * t * t * (10 - t * (15 - 6 * t));
}

/// The parabola a t^2 + 2 b t + c.
struct Parabola {
  double a, b, c;

  /// Calls visit(t) for both zeros if they are real and distinct.
  template <class Visit>
  THINWIRE_HD void zeros(const Visit& visit) const {
    const double root2 = b * b - a * c;
    if (!(root2 > 0 && a > 0)) return;
    const double root = std::sqrt(root2);
    visit((-b - root) / a);
    visit((-b + root) / a);
  }
  /// Returns the minimum over 0 <= t <= length. a must be positive.
  THINWIRE_HD double least(double length) const {
    const double t = std::fmin(std::fmax(-b / a, 0.0), length);
    return t * (a * t + 2 * b) + c;
  }
};

/// The quadratic form xx x^2 + 2 xy x y + yy y^2 + 2 x0 x + 2 y0 y + c.
struct Conic {
  double xx, xy, yy, x0, y0, c;

  THINWIRE_HD double operator()(double x, double y) const {
    return x * (xx * x + 2 * (xy * y + x0)) + y * (yy * y + 2 * y0) + c;
  }
  THINWIRE_HD Parabola along_x(double y) const {
    return {xx, xy * y + x0, y * (yy * y + 2 * y0) + c};
  }
  THINWIRE_HD Parabola along_y(double x) const {
    return {yy, xy * x + y0, x * (xx * x + 2 * x0) + c};
  }
  /// Returns the minimum over all y as a function of x. yy must be positive.
  THINWIRE_HD Parabola min_over_y() const {
    return {xx - xy * xy / yy, x0 - xy * y0 / yy, c - y0 * y0 / yy};
  }
  /// Adds f (u + v x + w y)^2.
  THINWIRE_HD void add_square(double f, double u, double v, double w) {
    xx += f * v * v;
    xy += f * v * w;
    yy += f * w * w;
    x0 += f * u * v;
    y0 += f * u * w;
    c += f * u * u;
  }
};

/// Ascending points that divide an interval [0, length], both ends included.
template <int capacity>
class Cuts {
 public:
  THINWIRE_HD explicit Cuts(double length) : place_{0, length} {}
  THINWIRE_HD void add(double place) {
    if (!(place > 0 && place < place_[count_ - 1]) || count_ == capacity) return;
    int i = count_++;
    for (; place_[i - 1] > place; --i) place_[i] = place_[i - 1];
    place_[i] = place;
  }
  THINWIRE_HD int count() const { return count_; }
  THINWIRE_HD double operator[](int i) const { return place_[i]; }

 private:
  double place_[capacity];
  int count_ = 2;
};

/// Regions of two elements where w is 0, 1, or between. Over the positions x on p and y
/// on q, w is 0 inside an ellipse, 1 outside a larger one, and rises between the two.
class BlendZone {
 public:
  THINWIRE_HD BlendZone(const Element& p, const Element& q)
      : length_p_(p.length_m), length_q_(q.length_m), radii_(p.radius_m + q.radius_m) {
    const Vec3 step = q.start_m - p.start_m;
    const double c = dot(p.tangent, q.tangent), along_p = dot(step, p.tangent),
                 along_q = dot(step, q.tangent);
    apart_ = {1, -c, 1, -along_p, along_q, dot(step, step) - radii_ * radii_};
    clear_ = apart_;
    clear_.add_square(-blend_beta, along_p, -1, c);
    clear_.add_square(-blend_beta, along_q, -c, 1);
  }
  /// True if w < 1 anywhere on the elements.
  THINWIRE_HD bool any() const {
    // A convex function has its minimum at its lowest point, or else on an edge.
    const Parabola lowest = clear_.min_over_y();
    const double x = -lowest.b / lowest.a, y = -clear_.along_y(x).b / clear_.yy;
    if (x >= 0 && x <= length_p_ && y >= 0 && y <= length_q_) return clear_(x, y) < 0;
    return clear_.along_y(0).least(length_q_) < 0 ||
           clear_.along_y(length_p_).least(length_q_) < 0 ||
           clear_.along_x(0).least(length_p_) < 0 ||
           clear_.along_x(length_q_).least(length_p_) < 0;
  }
  using CutsOfP = Cuts<64>;
  /// Returns the points that divide p into intervals in which the zone along q keeps its
  /// shape. The intervals are no longer than about their distance from q.
  THINWIRE_HD CutsOfP cuts_of_p() const {
    CutsOfP cuts(length_p_);
    const auto add = [&](double x) { cuts.add(x); };
    for (const Conic* curve : {&apart_, &clear_}) {
      curve->along_x(0).zeros(add);
      curve->along_x(length_q_).zeros(add);
      curve->min_over_y().zeros(add);
    }
    const Parabola distance2 = apart_.min_over_y();
    const double nearest =
        std::fmin(std::fmax(-distance2.b / distance2.a, 0.0), length_p_);
    for (double reach = 2 * radii_; reach < length_p_; reach *= 3) {
      cuts.add(nearest - reach);
      cuts.add(nearest + reach);
    }
    return cuts;
  }
  using CutsOfQ = Cuts<6>;
  /// Returns the points that divide q into intervals in which w, for the point x on p, is
  /// 0, 1, or between.
  THINWIRE_HD CutsOfQ cuts_of_q(double x) const {
    CutsOfQ cuts(length_q_);
    const auto add = [&](double y) { cuts.add(y); };
    apart_.along_y(x).zeros(add);
    clear_.along_y(x).zeros(add);
    return cuts;
  }
  /// True if w > 0.
  THINWIRE_HD bool has_tubes(double x, double y) const { return apart_(x, y) > 0; }
  /// Returns the position, on the line of q, closest to the point x on p.
  THINWIRE_HD double nearest_on_q(double x) const { return -apart_.along_y(x).b; }
  /// Returns the distance between the two points, at least a + b.
  THINWIRE_HD double scale(double x) const {
    const double excess = apart_(x, nearest_on_q(x));
    return excess > 0 ? std::sqrt(excess + radii_ * radii_) : radii_;
  }

 private:
  /// R^2 - (a + b)^2, positive where w > 0; and that less beta (zp^2 + zq^2), positive
  /// where w = 1.
  Conic apart_, clear_;
  double length_p_, length_q_, radii_;
};

/// Integrates w (G_tubes - G_axis), the correction to the integrals of G_axis.
template <class Real, class Wavenumber>
class TubeBlend {
 public:
  /// k: wave number of the shape functions, rad/m. pace: the larger of k and the absolute
  /// wave number of G, rad/m. nats: near_bent's.
  THINWIRE_HD TubeBlend(const BasicElement<Real>& p, const BasicElement<Real>& q,
                        const AxisDistanceKernel<Real, Wavenumber>& axis,
                        const SkewTubeKernel<Real, Wavenumber>& tubes, double k,
                        double pace, double nats = near_pair_nats)
      : p_(p), q_(q), axis_(axis), tubes_(tubes), k_(k), pace_(pace) {
    // Target error with 15 nats: 1e-6 of the largest entry. The correction is a smaller
    // part of it for elements that are longer than the tubes are wide.
    const double shorter = value_of(fmin(p.length_m, q.length_m));
    nats_ = (14.5 - 1.45 * std::log(std::fmax(1.0, shorter / radii()))) *
            (nats / near_pair_nats);
    series_from_m_ = value_of(fmax(tubes.a_m, tubes.b_m)) * 2.2 * std::exp(nats_ / 6);
  }

  /// Adds the integrals for elements that start at a common point and are not parallel,
  /// in the variables of add_corner_triangle. Along a ray from the corner w and G depend
  /// on R alone.
  template <class Team>
  THINWIRE_APART THINWIRE_HD void add_corner(const Team& team,
                                             TrigMoments<Real>& sum) const {
    const Real c = dot(p_.tangent, q_.tangent), s = norm(cross(p_.tangent, q_.tangent));
    // Rays that end within the zone would leave kinks.
    const double narrow =
        value_of(fmin(p_.length_m, q_.length_m)) * (value_of(c) > 0 ? value_of(s) : 1.0);
    if (narrow < 2 * radii()) return add(team, sum);
    // At a slight bend the correction is small; at a sharp bend the tubes nearly touch.
    const double nats =
        value_of(c) < 0 ? nats_ + 2 * std::log(value_of(s)) : nats_ * (1 + value_of(c));
    if (nats <= 0) return;
    add_triangle(p_.length_m, q_.length_m, p_.tangent, q_.tangent, c, s, nats, false,
                 team, sum);
    add_triangle(q_.length_m, p_.length_m, q_.tangent, p_.tangent, c, s, nats, true, team,
                 sum);
  }

  /// Adds the integrals for elements in any position, by Gauss rules along q for each
  /// point on p, on the intervals where w > 0. For derivatives the intervals scale with
  /// the elements and depend on nothing else; since w is smooth at their ends, this makes
  /// no difference.
  template <class Team>
  THINWIRE_APART THINWIRE_HD void add(const Team& team, TrigMoments<Real>& sum) const {
    const BlendZone zone(value_of(p_), value_of(q_));
    const Real stretch_p = p_.length_m / value_of(p_.length_m);
    const auto on_p = zone.cuts_of_p();
    int place = 0;
    for (int i = 0; i + 1 < on_p.count(); ++i) {
      const double half = 0.5 * (on_p[i + 1] - on_p[i]);
      const GaussRule rule =
          gauss_rule(2 + static_cast<int>(0.4 * nats_) + waves(2 * half));
      for (int n = 0; n < rule.points; ++n) {
        if (place++ % team.parts() != team.part()) continue;
        const double at = on_p[i] + half * (1 + rule.node[n]);
        const Real x = at * stretch_p, weight = half * rule.weight[n] * stretch_p;
        BasicComplex<Real> c, s;
        add_row(zone, at, x, c, s);
        sum.add_row(weight * cos(k_ * x), weight * sin(k_ * x), c, s);
      }
    }
  }

 private:
  THINWIRE_HD double radii() const { return value_of(tubes_.a_m + tubes_.b_m); }

  /// Returns the number of extra Gauss points for the phase along a length: none up to 4
  /// radians, because matrices are interpolated over frequency, where a change of rule
  /// would appear as a step.
  THINWIRE_HD int waves(double length_m) const {
    return static_cast<int>(0.4 * std::fmax(pace_ * length_m - 4, 0.0));
  }

  /// Returns w (G_tubes - G_axis). If r lies in a plane with both tangents, half of a
  /// circumference suffices for the mean, but not for its derivatives.
  THINWIRE_APART THINWIRE_HD BasicComplex<Real> difference(const BasicVec3<Real>& r,
                                                           bool in_plane,
                                                           double nats) const {
    const Real r2 = dot(r, r);
    const Real w =
        tubes_weight(r2, dot(r, tubes_.p), dot(r, tubes_.q), tubes_.a_m + tubes_.b_m);
    if (!(w > 0)) return {};
    const double a = value_of(fmax(tubes_.a_m, tubes_.b_m));
    BasicComplex<Real> mean;
    if (value_of(r2) > series_from_m_ * series_from_m_ &&
        abs_wavenumber(tubes_.k_rad_per_m) * a < series_electrical_radius) {
      mean = tubes_.far(r);
    } else {
      const int points = tubes_.points_at(r, 0.7 * nats);
      mean = in_plane && !has_derivatives<Real> ? tubes_.in_plane(r, (points + 1) / 2)
                                                : tubes_(r, points);
    }
    return w * (mean - axis_(r2));
  }

  template <class Team>
  THINWIRE_APART THINWIRE_HD void add_triangle(Real lx, Real ly,
                                               const BasicVec3<Real>& to_x,
                                               const BasicVec3<Real>& to_y, Real c,
                                               Real s, double nats, bool exchanged,
                                               const Team& team,
                                               TrigMoments<Real>& sum) const {
    const Real touching = tubes_.a_m + tubes_.b_m;
    TrigMoments<Real> part;
    for_each_ray(
        lx, ly, c, s, 0.6 * nats, waves(value_of(lx + ly)), team,
        [&](const CornerRay<Real>& ray, const Share& share) {
          const Real x_over_r = 1 / ray.r_over_x;
          const BasicVec3<Real> along = x_over_r * (ray.y_over_x * to_y - to_x);
          const Real zx = dot(along, to_x), zy = dot(along, to_y);
          const Real clear = touching / sqrt(1 - blend_beta * (zx * zx + zy * zy));
          const Real half = 0.5 * (clear - touching);
          const GaussRule zone = gauss_rule(2 + static_cast<int>(0.3 * nats));
          // Farther out the difference decays as 1/R^3, and is smooth as a function of
          // 1/R.
          const Real last = lx * ray.r_over_x, from = 1 / clear,
                     half_inverse = 0.5 * (from - 1 / last);
          const GaussRule beyond = gauss_rule(2 + static_cast<int>(0.4 * nats) +
                                              waves(value_of(last - clear)));
          for (int n = share.part(); n < zone.points + beyond.points;
               n += share.parts()) {
            const int i = n - zone.points;
            const Real r = i < 0 ? touching + half * (1 + zone.node[n])
                                 : 1 / (from - half_inverse * (1 + beyond.node[i]));
            const Real weight =
                i < 0 ? half * zone.weight[n] : half_inverse * beyond.weight[i] * r * r;
            const Real x = r * x_over_r;
            part.add(k_, x, ray.y_over_x * x,
                     (ray.weight * weight * x) * difference(r * along, true, nats));
          }
        });
    sum.add(part, exchanged);
  }

  /// Adds the integrals along q, with cos ky and sin ky, for one point on p.
  THINWIRE_HD void add_row(const BlendZone& zone, double at_p, Real x,
                           BasicComplex<Real>& c, BasicComplex<Real>& s) const {
    const Real stretch_q = q_.length_m / value_of(q_.length_m);
    const BasicVec3<Real> to_p = q_.start_m - (p_.start_m + x * p_.tangent);
    const auto on_q = zone.cuts_of_q(at_p);
    // As a function of the angle seen from p the integrand hardly decays.
    const double nearest = zone.nearest_on_q(at_p), scale = zone.scale(at_p);
    for (int j = 0; j + 1 < on_q.count(); ++j) {
      if (!zone.has_tubes(at_p, 0.5 * (on_q[j] + on_q[j + 1]))) continue;
      const double first = std::atan((on_q[j] - nearest) / scale);
      const double half = 0.5 * (std::atan((on_q[j + 1] - nearest) / scale) - first);
      const GaussRule rule = gauss_rule(2 + static_cast<int>(nats_ * (0.4 + 0.3 * half)) +
                                        waves(on_q[j + 1] - on_q[j]));
      for (int n = 0; n < rule.points; ++n) {
        const double tangent = std::tan(first + half * (1 + rule.node[n]));
        const Real y = (nearest + scale * tangent) * stretch_q;
        const BasicComplex<Real> g =
            (half * rule.weight[n] * scale * (1 + tangent * tangent) * stretch_q) *
            difference(to_p + y * q_.tangent, false, nats_);
        c += cos(k_ * y) * g;
        s += sin(k_ * y) * g;
      }
    }
  }

  // Copies, so that on a GPU the caller's objects can stay in registers.
  BasicElement<Real> p_, q_;
  AxisDistanceKernel<Real, Wavenumber> axis_;
  SkewTubeKernel<Real, Wavenumber> tubes_;
  double k_, pace_;
  double nats_;           ///< target error: e^-nats of G where the surfaces touch
  double series_from_m_;  ///< distance from which tube_series is accurate
};

}  // namespace thinwire
