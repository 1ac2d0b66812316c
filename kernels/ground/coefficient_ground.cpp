#include "kernels/ground/coefficient_ground.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/constants.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/medium.h"
#include "kernels/element/near_bent.h"

namespace thinwire {
namespace {

/// A piece next to a point on the ground, over the lengths of both elements.
constexpr double smallest_piece = 1e-6;
/// Longest piece, in radians.
constexpr double longest_phase = 3;

struct ComplexVector {
  HdComplex x, y, z;
};

HdComplex dot(const Vec3& a, const ComplexVector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Returns the field at `at` that the ground reflects from a point dipole along t at
/// `source`: of unit moment, E over -j k eta0 / (4 pi), or H over 1 / (4 pi).
ComplexVector reflected(FieldKind kind, const ReflectingSurface& surface, Vec3 source,
                        Vec3 t, Vec3 at) {
  const double k = surface.k_rad_per_m;
  const Vec3 d = {at.x - source.x, at.y - source.y, at.z + source.z};
  const double r = norm(d), rho = std::sqrt(d.x * d.x + d.y * d.y);
  const PlaneWaveReflection c =
      surface.at(d.z / r, surface.radials > 0 ? specular_distance(source, at) : 0);
  const HdComplex rv = to_hd(c.theta), rh = to_hd(-c.phi);
  // Along the way on the ground, and across it.
  const double over_rho = rho > 0 ? 1 / rho : 0, x = rho > 0 ? over_rho * d.x : 1,
               y = over_rho * d.y;
  const double t_along = t.x * x + t.y * y, t_across = t.y * x - t.x * y;
  HdComplex along, across, up;
  if (kind == FieldKind::electric) {
    const CoefficientKernels of = coefficient_kernels(k, rho, d.z, rv, rh);
    along = t_along * of.radial - t.z * of.mixed;
    across = t_across * of.transverse;
    up = t.z * of.vertical + t_along * of.mixed;
  } else {
    const HdComplex curl = (1 / (r * r)) * (HdComplex{std::cos(k * r), -std::sin(k * r)} *
                                            HdComplex{-1 / r, -k});
    along = (t_across * d.z) * (rh * curl);
    across = (-t_along * d.z - t.z * rho) * (rv * curl);
    up = (-t_across * rho) * (rh * curl);
  }
  return {x * along - y * across, y * along + x * across, up};
}

/// Gauss points of a piece with both shape functions times the weight.
struct PiecePoints {
  struct Point {
    Vec3 at_m;
    double value[2];
  };
  Point of[max_gauss_points];
  int count;

  PiecePoints(const Element& e, double from, double to, int order, double k) {
    const GaussRule rule = gauss_rule(order);
    const double half = 0.5 * (to - from), over = 1 / std::sin(k * e.length_m);
    count = rule.points;
    for (int i = 0; i < count; ++i) {
      const double s = from + half * (1 + rule.node[i]), w = half * rule.weight[i] * over;
      of[i] = {e.start_m + s * e.tangent,
               {w * std::sin(k * (e.length_m - s)), w * std::sin(k * s)}};
    }
  }
  const Point* begin() const { return of; }
  const Point* end() const { return of + count; }
};

/// Gauss points of a piece: the field of a dipole is steeper than a potential.
int order_of(double length, double distance, double k) {
  return std::max(3, piece_points(length, distance, k));
}

/// The integral over p (z >= 0) and q, piece by piece.
struct PairSum {
  const Element &p, &q;
  const ReflectingSurface& surface;
  Element image = Medium::perfect_ground().source(p, 1);
  HdComplex sum[2][2] = {};

  void add(double p0, double p1, double q0, double q1) {
    const double k = surface.k_rad_per_m, longest = std::max(p1 - p0, q1 - q0);
    const double floor_m = smallest_piece * (p.length_m + q.length_m);
    const double distance = axis_distance(part(image, p0, p1), part(q, q0, q1));
    if ((longest > distance && longest > floor_m) || k * longest > longest_phase) {
      const double p_middle = p1 - p0 > 0.7 * longest ? 0.5 * (p0 + p1) : p1;
      const double q_middle = q1 - q0 > 0.7 * longest ? 0.5 * (q0 + q1) : q1;
      add(p0, p_middle, q0, q_middle);
      if (p_middle < p1) add(p_middle, p1, q0, q_middle);
      if (q_middle < q1) add(p0, p_middle, q_middle, q1);
      if (p_middle < p1 && q_middle < q1) add(p_middle, p1, q_middle, q1);
      return;
    }
    const double clear = std::max(distance, 0.5 * longest);
    const PiecePoints on_p(p, p0, p1, order_of(p1 - p0, clear, k), k);
    const PiecePoints on_q(q, q0, q1, order_of(q1 - q0, clear, k), k);
    for (const auto& a : on_p)
      for (const auto& b : on_q) {
        const HdComplex e = dot(p.tangent, reflected(FieldKind::electric, surface, b.at_m,
                                                     q.tangent, a.at_m));
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j) sum[i][j] += a.value[i] * b.value[j] * e;
      }
  }

 private:
  static Element part(const Element& e, double from, double to) {
    return {e.start_m + from * e.tangent, e.tangent, to - from, e.radius_m};
  }
};

}  // namespace

ElementMatrix coefficient_pair(const Element& p, const Element& q,
                               const ReflectingSurface& surface) {
  PairSum pair = {p, q, surface};
  pair.add(0, p.length_m, 0, q.length_m);
  const HdComplex scale = {0, surface.k_rad_per_m * eta0_ohm / (4 * pi)};
  ElementMatrix m;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) m.z[i][j] = scale * pair.sum[i][j];
  return m;
}

void add_coefficient_field(FieldKind kind, const CurrentSources& sources,
                           const ReflectingSurface& surface,
                           std::span<const Vec3> points_m, std::span<Complex> field) {
  const Complex factor = kind == FieldKind::electric
                             ? Complex(0, -surface.k_rad_per_m * eta0_ohm / (4 * pi))
                             : Complex(1 / (4 * pi));
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(points_m.size()); ++i) {
    ComplexVector sum;
    visit_source_points(sources, points_m[i], [&](const SourcePoint& s) {
      const ComplexVector e = reflected(kind, surface, s.at_m, s.tangent, points_m[i]);
      const HdComplex moment = to_hd(s.moment);
      sum.x += moment * e.x;
      sum.y += moment * e.y;
      sum.z += moment * e.z;
    });
    field[3 * i] += factor * Complex(sum.x);
    field[3 * i + 1] += factor * Complex(sum.y);
    field[3 * i + 2] += factor * Complex(sum.z);
  }
}

}  // namespace thinwire
