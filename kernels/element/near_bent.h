#pragma once

#include <cmath>

#include "kernels/element/corner_rays.h"
#include "kernels/element/pair_kernel.h"
#include "kernels/element/pair_shape.h"
#include "kernels/element/tube_blend.h"
#include "kernels/element/tube_kernel.h"

namespace thinwire {

/// Returns the element matrix from the moments m. The tangents point away from x = 0 and
/// y = 0, and c is the cosine of the angle between them. The largest entries are
/// dominated by cc, with positive weight; terms that cancel are smaller by (k L)^2.
template <class Real>
THINWIRE_APART THINWIRE_HD BasicElementMatrix<Real> matrix_from_moments(
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

/// Returns the smallest distance between two straight pieces, each given by its start,
/// unit tangent and length.
THINWIRE_HD inline double piece_distance(Vec3 p0, Vec3 tp, double lp, Vec3 q0, Vec3 tq,
                                         double lq) {
  const Vec3 d = p0 - q0;
  const double c = dot(tp, tq);
  const double dp = dot(d, tp);
  const double dq = dot(d, tq);
  // Start from the foot of the common normal on the first piece, clamped to the piece.
  // Then take the nearest point t of the second piece, and the point s of the first piece
  // nearest to that. For parallel pieces any start will do (fmax turns 0 / 0 into 0).
  double s = std::fmin(std::fmax((c * dq - dp) / (1 - c * c), 0.0), lp);
  const double t = std::fmin(std::fmax(dq + c * s, 0.0), lq);
  s = std::fmin(std::fmax(c * t - dp, 0.0), lp);
  return norm(d + s * tp - t * tq);
}

/// Returns the effective distance from the nearest singularity of the mean over two tubes
/// with axes `distance` apart. It is near the distance of the surfaces when they almost
/// touch, and approaches that of the axes for larger distances. The lower limit does no
/// harm, because the singularity of touching surfaces is weak. radii: a + b.
THINWIRE_HD inline double tube_clearance(double distance, double radii) {
  const double near = radii / distance;
  return std::fmax(distance * (1 - near * near * near), 0.05 * radii);
}

/// A piece p0 <= x <= p1 of the first element and a piece q0 <= y <= q1 of the second, as
/// distances in metres from their starts.
struct PiecePair {
  double p0, p1, q0, q1;
};

/// Two elements for near_bent(), with the Green's function that applies to them: the axis
/// distance kernel, the mean over both tubes, or a blend of the two (near_pair.h).
template <class Real>
struct BentPair {
  BasicElement<Real> p, q;
  double k_rad_per_m;
  AxisDistanceKernel<Real, double> axis;
  SkewTubeKernel<Real, double> skew;
  bool tubes;    ///< use `skew`, the mean over both circumferences; else `axis`
  bool blended;  ///< add TubeBlend's correction to `axis`
  double nats;   ///< target relative error e^-nats

  THINWIRE_HD BentPair(const BasicElement<Real>& first, const BasicElement<Real>& second,
                       double k, GreensKernel kernel, double target_nats)
      : p(first),
        q(second),
        k_rad_per_m(k),
        axis(axis_distance_kernel(p.radius_m, q.radius_m, k, kernel)),
        nats(target_nats) {
    const Element at_p = value_of(p), at_q = value_of(q);
    const BasicVec3<Real> normal = cross(
        elements_parallel(at_p, at_q) ? q.start_m - p.start_m : p.tangent, q.tangent);
    const BasicVec3<Real> n1 = (1 / norm(normal)) * normal;
    skew = {p.tangent, q.tangent, n1, cross(q.tangent, n1), p.radius_m, q.radius_m, k};
    const bool exact = kernel == GreensKernel::exact;
    blended = exact && BlendZone(at_p, at_q).any();
    tubes = exact && !blended;
  }
};

/// Returns the number of Gauss points for an interval of length l at `distance` from the
/// nearest singularity and an error of e^-nats. With n points the integral of e^{2jks}
/// has an error of (0.7 k l / n)^(2n).
THINWIRE_HD inline int piece_points(double l, double distance, double k,
                                    double nats = near_pair_nats) {
  const double kl = k * l;
  const int singular =
      1 + static_cast<int>(8.5 * (nats / near_pair_nats) / std::asinh(2 * distance / l) +
                           0.4 * kl);
  const int oscillating =
      kl < 0.03 && distance > 22 * l ? 2 : 3 + static_cast<int>(0.7 + 1.7 * kl);
  return singular > oscillating ? singular : oscillating;
}

/// Adds the moments over one pair of pieces, computed by a product of Gauss rules.
/// `distance` is the smallest distance of the axes, `clearance` the distance from the
/// nearest singularity. The threads of a team share the points, not the pairs of pieces,
/// because most pairs of elements consist of one pair of pieces.
template <class Real, class Team>
THINWIRE_HD inline void add_pieces(const BentPair<Real>& pair, const PiecePair& piece,
                                   double distance, double clearance, const Team& team,
                                   TrigMoments<Real>& sum) {
  const double k = pair.k_rad_per_m;
  // The derivative of an element's length stretches its pieces in proportion.
  const Real stretch_p = pair.p.length_m / value_of(pair.p.length_m);
  const Real stretch_q = pair.q.length_m / value_of(pair.q.length_m);
  const Real hp = 0.5 * (piece.p1 - piece.p0) * stretch_p;
  const Real hq = 0.5 * (piece.q1 - piece.q0) * stretch_q;
  const GaussRule rp =
      gauss_rule(piece_points(piece.p1 - piece.p0, clearance, k, pair.nats));
  const GaussRule rq =
      gauss_rule(piece_points(piece.q1 - piece.q0, clearance, k, pair.nats));
  const double a = value_of(pair.p.radius_m);
  const double b = value_of(pair.q.radius_m);
  const bool far = distance > series_radii * a && k * a < series_electrical_radius;
  const int points = ring_points(b, distance - a, k, pair.nats);
  const int row_step = team.parts() < rp.points ? team.parts() : rp.points;
  const int column_step = team.parts() / row_step;
  const int row = team.part() % row_step;
  const int column = team.part() / row_step;
  if (column >= column_step) return;
  Real cq[max_gauss_points];
  Real sq[max_gauss_points];
  for (int j = column; j < rq.points; j += column_step) {
    const Real y = piece.q0 * stretch_q + hq * (1 + rq.node[j]);
    Real sine, cosine;
    sincos_simd(k * y, sine, cosine);
    cq[j] = hq * rq.weight[j] * cosine;
    sq[j] = hq * rq.weight[j] * sine;
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
    Real sine, cosine;
    sincos_simd(k * x, sine, cosine);
    const Real weight = hp * rp.weight[i];
    sum.add_row(weight * cosine, weight * sine, c, s);
  }
}

/// Iterates over the pairs of pieces into which a pair of elements is cut. Pieces longer
/// than twice their clearance are halved, so that the work grows with the logarithm of
/// length over distance. The constants were found by experiment for errors of 1e-7 of the
/// largest entry (2e-7 for touching tubes).
class PieceWalk {
 public:
  template <class Real>
  THINWIRE_HD explicit PieceWalk(const BentPair<Real>& pair)
      : p_(value_of(pair.p)),
        q_(value_of(pair.q)),
        tubes_(pair.tubes),
        radii_(p_.radius_m + q_.radius_m),
        smallest_(1e-3 * std::fmin(p_.radius_m, q_.radius_m)),
        scale2_(value_of(pair.axis.scale_m * pair.axis.scale_m)) {
    stack_[height_++] = {0, p_.length_m, 0, q_.length_m};
  }

  /// Finds the next pair of pieces that are short enough, the smallest distance of their
  /// axes, and their clearance from the nearest singularity. Returns false at the end.
  THINWIRE_HD bool next(PiecePair& piece, double& distance, double& clearance) {
    while (height_ > 0) {
      const PiecePair now = stack_[--height_];
      const double lp = now.p1 - now.p0;
      const double lq = now.q1 - now.q0;
      const double longest = std::fmax(lp, lq);
      distance = piece_distance(p_.start_m + now.p0 * p_.tangent, p_.tangent, lp,
                                q_.start_m + now.q0 * q_.tangent, q_.tangent, lq);
      // The smallest pieces contain a logarithmic singularity, but contribute less than
      // 1e-8.
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

/// Returns the matrix of two elements that meet at `ends`, a value of common_end().
template <class Real, class Team>
THINWIRE_HD inline BasicElementMatrix<Real> near_corner(const BentPair<Real>& pair,
                                                        int ends, const Team& team) {
  const bool p_end = ends & 1, q_end = ends & 2;
  const BasicElement<Real> x = p_end ? turned_round(pair.p) : pair.p,
                           y = q_end ? turned_round(pair.q) : pair.q;
  const Real c = dot(x.tangent, y.tangent), s = norm(cross(x.tangent, y.tangent));
  const double k = pair.k_rad_per_m;
  TrigMoments<Real> sum;
  CornerTriangle<Real> triangle{x.length_m, y.length_m, c, s, k, k, false, pair.nats};
  add_corner_triangle(pair.axis, triangle, team, sum);
  triangle = {y.length_m, x.length_m, c, s, k, k, true, pair.nats};
  add_corner_triangle(pair.axis, triangle, team, sum);
  if (pair.blended)
    TubeBlend(x, y, pair.axis, pair.skew, k, k, pair.nats).add_corner(team, sum);
  team.add_up(sum);
  BasicElementMatrix<Real> m = matrix_from_moments(sum, x.length_m, y.length_m, c, k);
  if (q_end) m = second_reversed(m);
  return p_end ? first_reversed(m) : m;
}

/// Returns the matrix of two elements that do not meet. Every thread of a team iterates
/// over all pieces, which costs little, and computes its share of the points of each.
template <class Real, class Team>
THINWIRE_HD inline BasicElementMatrix<Real> near_apart(const BentPair<Real>& pair,
                                                       const Team& team) {
  const double k = pair.k_rad_per_m;
  TrigMoments<Real> sum;
  PieceWalk walk(pair);
  PiecePair piece;
  double distance, clearance;
  while (walk.next(piece, distance, clearance))
    add_pieces(pair, piece, distance, clearance, team, sum);
  if (pair.blended)
    TubeBlend(pair.p, pair.q, pair.axis, pair.skew, k, k, pair.nats).add(team, sum);
  team.add_up(sum);
  return matrix_from_moments(sum, pair.p.length_m, pair.q.length_m,
                             dot(pair.p.tangent, pair.q.tangent), k);
}

/// Computes near_pair() by a double integral over both elements, for pairs whose kernel
/// does not depend on the axial offset alone (depend_on_offset). The target error is
/// e^-nats: the default gives near_pair()'s errors, smaller values are faster.
template <class Real>
THINWIRE_HD inline BasicElementMatrix<Real> near_bent(const BasicElement<Real>& p,
                                                      const BasicElement<Real>& q,
                                                      double k, GreensKernel kernel,
                                                      double nats = near_pair_nats) {
  const BentPair<Real> pair(p, q, k, kernel, nats);
  const int ends = common_end(value_of(p), value_of(q));
  return ends < 0 ? near_apart(pair, Alone()) : near_corner(pair, ends, Alone());
}

}  // namespace thinwire
