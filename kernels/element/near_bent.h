#pragma once

#include <cmath>

#include "kernels/element/pair_kernel.h"
#include "kernels/element/tube_kernel.h"

namespace thinwire {

/// Double integrals over two elements of G times cos or sin of kx (first letter) and of
/// ky (second letter), x and y being the distances from one end of each.
template <class Real>
struct TrigMoments {
  BasicComplex<Real> cc, cs, sc, ss;
};

/// Threads that integrate a pair. Where several share it (near_pair_table.cu), each does
/// a part of the work, and add_up() gives each the sums of all.
struct Alone {
  THINWIRE_HD int part() const { return 0; }
  THINWIRE_HD int parts() const { return 1; }
  template <class Real>
  THINWIRE_HD void add_up(TrigMoments<Real>&) const {}
};

/// Element matrix from the moments, the tangents pointing away from x = 0 and y = 0 with
/// cosine `c` between them. The largest entries come from cc with positive weight; what
/// cancels is smaller than they are by (k L)^2.
template <class Real>
THINWIRE_HD inline BasicElementMatrix<Real> matrix_from_moments(
    const TrigMoments<Real>& m, Real lx, Real ly, Real c, double k) {
  // u_0 = cos kx - cot kL sin kx and u_1 = sin kx / sin kL as coefficients of (cos, sin);
  // u' / k as coefficients of the same.
  const Real sx = 1 / sin(k * lx);
  const Real sy = 1 / sin(k * ly);
  const Real tx = cos(k * lx) * sx;
  const Real ty = cos(k * ly) * sy;
  const Real ux[2][2] = {{1, -tx}, {0, sx}};
  const Real uy[2][2] = {{1, -ty}, {0, sy}};
  const Real dx[2][2] = {{-tx, -1}, {sx, 0}};
  const Real dy[2][2] = {{-ty, -1}, {sy, 0}};
  const double scale = k * eta0_ohm / (4 * pi);
  BasicElementMatrix<Real> z;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      BasicComplex<Real> w = (c * ux[i][0] * uy[j][0] - dx[i][0] * dy[j][0]) * m.cc;
      w += (c * ux[i][0] * uy[j][1] - dx[i][0] * dy[j][1]) * m.cs;
      w += (c * ux[i][1] * uy[j][0] - dx[i][1] * dy[j][0]) * m.sc;
      w += (c * ux[i][1] * uy[j][1] - dx[i][1] * dy[j][1]) * m.ss;
      z.z[i][j] = {-scale * w.im, scale * w.re};
    }
  }
  return z;
}

/// Adds the moments of the triangle 0 <= y <= (ly / lx) x, 0 <= x <= lx to `sum`, where
/// R^2 = x^2 + y^2 - 2 x y cos(angle).
///
/// With y/x = cos(angle) + sin(angle) sinh(v), dx dy = x dR dv: R takes the singularity
/// of G, v that of the corner (R / x = sin(angle) cosh v) at any angle, however sharp.
/// `pace`: the larger of k and the wave number of G, rad/m.
template <class Real, class Green, class Peers>
THINWIRE_HD inline void add_corner_triangle(const Green& green, Real lx, Real ly, Real c,
                                            Real s, double k, double pace, bool exchanged,
                                            const Peers& team, TrigMoments<Real>& sum) {
  const Real v0 = asinh(-c / s);
  const Real v1 = asinh((ly / lx - c) / s);
  const int panels = 1 + static_cast<int>(value_of(v1 - v0) / 2.5);
  const Real step = (v1 - v0) / panels;
  const GaussRule rule =
      gauss_rule(2 + static_cast<int>(7.0 / std::asinh(pi / value_of(step)) +
                                      0.4 * pace * value_of(lx + ly)));
  constexpr Accuracy accuracy{8.0, 9};  // 1e-7
  TrigMoments<Real> part;
  for (int node = team.part(); node < panels * rule.points; node += team.parts()) {
    const int i = node % rule.points;
    const Real v = v0 + step * (node / rule.points + 0.5 * (1 + rule.node[i]));
    const Real e = exp(v);
    const Real ratio = c + 0.5 * s * (e - 1 / e);
    const Real r_over_x = 0.5 * s * (e + 1 / e);
    const Real weight = 0.5 * step * rule.weight[i];
    const double phase = pace * value_of(1 + (1 + ratio) / r_over_x);
    graded_integral(Real(0), lx * r_over_x, green.scale_m, green.width_m, phase, accuracy,
                    [&](Real r, Real w) {
                      const Real x = r / r_over_x;
                      const Real y = ratio * x;
                      const BasicComplex<Real> g = (weight * w * x) * green(r * r);
                      const Real cx = cos(k * x);
                      const Real sx = sin(k * x);
                      const Real cy = cos(k * y);
                      const Real sy = sin(k * y);
                      part.cc += (cx * cy) * g;
                      part.cs += (cx * sy) * g;
                      part.sc += (sx * cy) * g;
                      part.ss += (sx * sy) * g;
                    });
  }
  sum.cc += part.cc;
  sum.cs += exchanged ? part.sc : part.cs;
  sum.sc += exchanged ? part.cs : part.sc;
  sum.ss += part.ss;
}

/// Element matrix of two elements that leave a common end at an angle (not 0 or 180
/// degrees) with cosine c and sine s.
template <class Real, class Peers>
THINWIRE_HD inline BasicElementMatrix<Real> corner_matrix(
    const AxisDistanceKernel<Real, double>& green, Real lp, Real lq, Real c, Real s,
    double k, const Peers& team) {
  TrigMoments<Real> sum;
  add_corner_triangle(green, lp, lq, c, s, k, k, false, team, sum);
  add_corner_triangle(green, lq, lp, c, s, k, k, true, team, sum);
  team.add_up(sum);
  return matrix_from_moments(sum, lp, lq, c, k);
}

/// Least distance between two straight pieces given by start, unit tangent and length;
/// the tangents must not be parallel.
THINWIRE_HD inline double piece_distance(Vec3 p0, Vec3 tp, double lp, Vec3 q0, Vec3 tq,
                                         double lq) {
  const Vec3 d = p0 - q0;
  const double c = dot(tp, tq);
  const double dp = dot(d, tp);
  const double dq = dot(d, tq);
  // The foot of the common normal, clamped to the first piece, then to the second, and
  // then the first again for the point found on the second.
  double s = std::fmin(std::fmax((c * dq - dp) / (1 - c * c), 0.0), lp);
  const double t = std::fmin(std::fmax(dq + c * s, 0.0), lq);
  s = std::fmin(std::fmax(c * t - dp, 0.0), lp);
  return norm(d + s * tp - t * tq);
}

/// Distance, in effect, from the nearest singularity of the mean over two tubes: that of
/// the surfaces when they nearly touch (where the singularity is weak, so that a floor
/// does no harm), and soon that of the axes.
THINWIRE_HD inline double tube_clearance(double distance, double radii) {
  const double near = radii / distance;
  return std::fmax(distance * (1 - near * near * near), 0.05 * radii);
}

/// A piece of each of two elements: distances from their starts.
struct PiecePair {
  double p0, p1, q0, q1;
};

/// A pair of elements for the general integration: its geometry, and which of the three
/// Green's functions of near_pair.h holds.
template <class Real>
struct GeneralPair {
  const BasicElement<Real>& p;
  const BasicElement<Real>& q;
  double k_rad_per_m;
  bool tubes;  ///< mean over both circumferences; else a function of the axis distance
  AxisDistanceKernel<Real, double> axis;
  SkewTubeKernel<Real, double> skew;
};

/// Gauss points for an interval of length l at `distance` from the nearest singularity,
/// to 1e-7; n points on e^{2jks} leave (0.7 k l / n)^(2n).
THINWIRE_HD inline int piece_points(double l, double distance, double k) {
  const double kl = k * l;
  const int singular =
      1 + static_cast<int>(8.5 / std::asinh(2 * distance / l) + 0.4 * kl);
  const int oscillating =
      kl < 0.03 && distance > 22 * l ? 2 : 3 + static_cast<int>(0.7 + 1.7 * kl);
  return singular > oscillating ? singular : oscillating;
}

/// Adds the moments over one pair of pieces with Gauss products. `distance` is the least
/// axis distance, `clearance` that from the nearest singularity. A team's threads have
/// points each: most pairs are one pair of pieces.
template <class Real, class Peers>
THINWIRE_HD inline void add_pieces(const GeneralPair<Real>& pair, const PiecePair& piece,
                                   double distance, double clearance, const Peers& team,
                                   TrigMoments<Real>& sum) {
  const double k = pair.k_rad_per_m;
  // Pieces stretch with their elements.
  const Real stretch_p = pair.p.length_m / value_of(pair.p.length_m);
  const Real stretch_q = pair.q.length_m / value_of(pair.q.length_m);
  const Real hp = 0.5 * (piece.p1 - piece.p0) * stretch_p;
  const Real hq = 0.5 * (piece.q1 - piece.q0) * stretch_q;
  const GaussRule rp = gauss_rule(piece_points(piece.p1 - piece.p0, clearance, k));
  const GaussRule rq = gauss_rule(piece_points(piece.q1 - piece.q0, clearance, k));
  const double a = value_of(pair.p.radius_m);
  const double b = value_of(pair.q.radius_m);
  const bool far = distance > series_radii * a && k * a < series_electrical_radius;
  const int points = ring_points(b, distance - a);
  const int row_step = team.parts() < rp.points ? team.parts() : rp.points;
  const int column_step = team.parts() / row_step;
  const int row = team.part() % row_step;
  const int column = team.part() / row_step;
  if (column >= column_step) return;
  Real cq[max_gauss_points];
  Real sq[max_gauss_points];
  for (int j = column; j < rq.points; j += column_step) {
    const Real y = piece.q0 * stretch_q + hq * (1 + rq.node[j]);
    cq[j] = hq * rq.weight[j] * cos(k * y);
    sq[j] = hq * rq.weight[j] * sin(k * y);
  }
  for (int i = row; i < rp.points; i += row_step) {
    const Real x = piece.p0 * stretch_p + hp * (1 + rp.node[i]);
    const BasicVec3<Real> to_p = pair.q.start_m - (pair.p.start_m + x * pair.p.tangent);
    BasicComplex<Real> c;
    BasicComplex<Real> s;
    for (int j = column; j < rq.points; j += column_step) {
      const Real y = piece.q0 * stretch_q + hq * (1 + rq.node[j]);
      const BasicVec3<Real> r = to_p + y * pair.q.tangent;
      const BasicComplex<Real> g = !pair.tubes ? pair.axis(dot(r, r))
                                   : far       ? pair.skew.far(r)
                                               : pair.skew(r, points);
      c += cq[j] * g;
      s += sq[j] * g;
    }
    const Real cp = hp * rp.weight[i] * cos(k * x);
    const Real sp = hp * rp.weight[i] * sin(k * x);
    sum.cc += cp * c;
    sum.cs += cp * s;
    sum.sc += sp * c;
    sum.ss += sp * s;
  }
}

/// The pieces into which a pair is cut: longer ones than twice their clearance are
/// halved, so that the work goes as the logarithm of length over distance. Constants set
/// by experiment for 1e-7 of the largest entry (2e-7 for touching tubes).
class PieceWalk {
 public:
  template <class Real>
  THINWIRE_HD PieceWalk(const GeneralPair<Real>& pair, double radii)
      : p_(value_of(pair.p)),
        q_(value_of(pair.q)),
        tubes_(pair.tubes),
        radii_(radii),
        smallest_(1e-3 * std::fmin(p_.radius_m, q_.radius_m)),
        scale2_(value_of(pair.axis.scale_m * pair.axis.scale_m)) {
    stack_[height_++] = {0, p_.length_m, 0, q_.length_m};
  }

  /// The next piece that is short enough, with its least axis distance and its distance
  /// from the nearest singularity. False: there is none.
  THINWIRE_HD bool next(PiecePair& piece, double& distance, double& clearance) {
    while (height_ > 0) {
      const PiecePair now = stack_[--height_];
      const double lp = now.p1 - now.p0;
      const double lq = now.q1 - now.q0;
      const double longest = std::fmax(lp, lq);
      distance = piece_distance(p_.start_m + now.p0 * p_.tangent, p_.tangent, lp,
                                q_.start_m + now.q0 * q_.tangent, q_.tangent, lq);
      // A logarithm is met at last by pieces so small that their share is below 1e-8.
      clearance = tubes_ ? tube_clearance(distance, radii_)
                         : std::fmax(std::sqrt(distance * distance + scale2_), smallest_);
      if (longest <= 2 * clearance || height_ + 4 > capacity) {
        piece = now;
        return true;
      }
      const double pm = lp > 0.7 * longest ? 0.5 * (now.p0 + now.p1) : now.p1;
      const double qm = lq > 0.7 * longest ? 0.5 * (now.q0 + now.q1) : now.q1;
      stack_[height_++] = {now.p0, pm, now.q0, qm};
      if (pm < now.p1) stack_[height_++] = {pm, now.p1, now.q0, qm};
      if (qm < now.q1) stack_[height_++] = {now.p0, pm, qm, now.q1};
      if (pm < now.p1 && qm < now.q1) stack_[height_++] = {pm, now.p1, qm, now.q1};
    }
    return false;
  }

 private:
  static constexpr int capacity = 128;
  Element p_, q_;
  bool tubes_;
  double radii_, smallest_, scale2_;
  PiecePair stack_[capacity];
  int height_ = 0;
};

/// Element matrix of two elements in general position. Each thread of a team walks over
/// all pieces, which costs little, and takes its share of each.
template <class Real, class Peers>
THINWIRE_HD inline BasicElementMatrix<Real> general_matrix(const GeneralPair<Real>& pair,
                                                           double radii,
                                                           const Peers& team) {
  PieceWalk walk(pair, radii);
  TrigMoments<Real> sum;
  PiecePair piece;
  double distance, clearance;
  while (walk.next(piece, distance, clearance))
    add_pieces(pair, piece, distance, clearance, team, sum);
  team.add_up(sum);
  return matrix_from_moments(sum, pair.p.length_m, pair.q.length_m,
                             dot(pair.p.tangent, pair.q.tangent), pair.k_rad_per_m);
}

/// near_pair for elements that are not parallel.
template <class Real, class Peers = Alone>
THINWIRE_HD inline BasicElementMatrix<Real> near_bent(const BasicElement<Real>& p,
                                                      const BasicElement<Real>& q,
                                                      double k, GreensKernel kernel,
                                                      const Peers& team = {}) {
  const auto axis = axis_distance_kernel(p.radius_m, q.radius_m, k, kernel);
  const BasicVec3<Real> normal = cross(p.tangent, q.tangent);
  const Real sine = norm(normal);
  const Real cosine = dot(p.tangent, q.tangent);
  for (int ends = 0; ends < 4; ++ends) {
    const bool p_end = ends & 1;
    const bool q_end = ends & 2;
    const BasicVec3<Real> gap = (q.start_m + (q_end ? q.length_m : Real(0)) * q.tangent) -
                                (p.start_m + (p_end ? p.length_m : Real(0)) * p.tangent);
    if (norm(gap) > 1e-9 * (p.length_m + q.length_m)) continue;
    const BasicElementMatrix<Real> m = corner_matrix(
        axis, p.length_m, q.length_m, p_end == q_end ? cosine : -cosine, sine, k, team);
    const BasicElementMatrix<Real> turned = q_end ? second_reversed(m) : m;
    return p_end ? first_reversed(turned) : turned;
  }
  const Element at_p = value_of(p), at_q = value_of(q);
  const double radii = at_p.radius_m + at_q.radius_m;
  const double distance = piece_distance(at_p.start_m, at_p.tangent, at_p.length_m,
                                         at_q.start_m, at_q.tangent, at_q.length_m);
  const BasicVec3<Real> n1 = (1 / sine) * normal;
  const GeneralPair<Real> pair{
      p,    q,
      k,    kernel == GreensKernel::exact && !tubes_overlap(distance, radii),
      axis, {p.tangent, q.tangent, n1, cross(q.tangent, n1), p.radius_m, q.radius_m, k}};
  return general_matrix(pair, radii, team);
}

}  // namespace thinwire
