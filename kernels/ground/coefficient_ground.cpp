#include "kernels/ground/coefficient_ground.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/medium.h"

namespace thinwire {
namespace {

/// A piece next to a point on the ground, over the lengths of both elements.
constexpr double smallest_piece = 1e-6;
/// Longest piece, in radians.
constexpr double longest_phase = 3;

struct ComplexVector {
  Complex x, y, z;
};

ComplexVector scaled(Complex factor, const Vec3& v) {
  return {factor * v.x, factor * v.y, factor * v.z};
}
Complex dot(const Vec3& a, const ComplexVector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// What a point dipole along t at `source` sends to `at` by the ground: of unit moment,
/// E over -j k eta0 / (4 pi), or H over 1 / (4 pi).
ComplexVector reflected(FieldKind kind, const ReflectingSurface& surface, Vec3 source,
                        Vec3 t, Vec3 at) {
  const double k = surface.k_rad_per_m;
  const Vec3 image = {-t.x, -t.y, t.z};
  const Vec3 d = {at.x - source.x, at.y - source.y, at.z + source.z};
  const double r = norm(d), x = k * r, rho = std::hypot(d.x, d.y);
  const Complex g = std::polar(1 / r, -x);
  const Vec3 way = (1 / r) * d;
  // p is the same for the way back but for its sign.
  const Vec3 p = rho > 0 ? Vec3{-d.y / rho, d.x / rho, 0} : Vec3{0, 1, 0};
  const PlaneWaveReflection c = surface.at(d.z / r, specular_distance(source, at));
  // Against the perfect image, whose coefficients are 1 and -1.
  const Complex in_plane = kind == FieldKind::electric ? c.theta : -c.phi;
  const Complex normal = kind == FieldKind::electric ? -c.phi : c.theta;
  ComplexVector field;
  if (kind == FieldKind::electric) {
    const Complex along = g * Complex(1 - 1 / (x * x), -1 / x);
    const Complex radial = -dot(way, image) * g * Complex(1 - 3 / (x * x), -3 / x);
    field = scaled(along, image);
    field.x += radial * way.x;
    field.y += radial * way.y;
    field.z += radial * way.z;
  } else {
    field = scaled(-g * Complex(1 / r, k), cross(way, image));
  }
  const Complex turn = (normal - in_plane) * dot(p, field);
  return {in_plane * field.x + turn * p.x, in_plane * field.y + turn * p.y,
          in_plane * field.z};
}

/// A Gauss point of a piece with both shape functions times the weight.
struct PiecePoint {
  Vec3 at_m;
  double value[2];
};

void make_points(const Element& e, double from, double to, int order, double k,
                 std::vector<PiecePoint>& points) {
  const GaussRule rule = gauss_rule(order);
  const double half = 0.5 * (to - from), over = 1 / std::sin(k * e.length_m);
  points.clear();
  for (int i = 0; i < rule.points; ++i) {
    const double s = from + half * (1 + rule.node[i]), w = half * rule.weight[i] * over;
    points.push_back({e.start_m + s * e.tangent,
                      {w * std::sin(k * (e.length_m - s)), w * std::sin(k * s)}});
  }
}

/// Gauss points of a piece: the field of a dipole is steeper than a potential.
int order_of(double length, double distance, double k) {
  return piece_points(length, distance, k) + 1;
}

}  // namespace

ElementMatrix coefficient_pair(const Element& p, const Element& q,
                               const ReflectingSurface& surface) {
  struct Pieces {
    double p0, p1, q0, q1;
  };
  const auto part = [](const Element& e, double from, double to) {
    return Element{e.start_m + from * e.tangent, e.tangent, to - from, e.radius_m};
  };
  const double k = surface.k_rad_per_m;
  const Element image = Medium::perfect_ground().source(p, 1);
  const double floor_m = smallest_piece * (p.length_m + q.length_m);
  std::vector<PiecePoint> on_p, on_q;
  std::vector<Pieces> stack = {{0, p.length_m, 0, q.length_m}};
  Complex sum[2][2] = {};
  while (!stack.empty()) {
    const auto [p0, p1, q0, q1] = stack.back();
    stack.pop_back();
    const double longest = std::max(p1 - p0, q1 - q0);
    const double distance = axis_distance(part(image, p0, p1), part(q, q0, q1));
    if ((longest > distance && longest > floor_m) || k * longest > longest_phase) {
      const double p_middle = p1 - p0 > 0.7 * longest ? 0.5 * (p0 + p1) : p1;
      const double q_middle = q1 - q0 > 0.7 * longest ? 0.5 * (q0 + q1) : q1;
      stack.push_back({p0, p_middle, q0, q_middle});
      if (p_middle < p1) stack.push_back({p_middle, p1, q0, q_middle});
      if (q_middle < q1) stack.push_back({p0, p_middle, q_middle, q1});
      if (p_middle < p1 && q_middle < q1) stack.push_back({p_middle, p1, q_middle, q1});
      continue;
    }
    const double clear = std::max(distance, 0.5 * longest);
    make_points(p, p0, p1, order_of(p1 - p0, clear, k), k, on_p);
    make_points(q, q0, q1, order_of(q1 - q0, clear, k), k, on_q);
    for (const PiecePoint& a : on_p)
      for (const PiecePoint& b : on_q) {
        const Complex e = dot(p.tangent, reflected(FieldKind::electric, surface, b.at_m,
                                                   q.tangent, a.at_m));
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j) sum[i][j] += a.value[i] * b.value[j] * e;
      }
  }
  const Complex scale(0, k * eta0_ohm / (4 * pi));
  ElementMatrix m;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const Complex z = scale * sum[i][j];
      m.z[i][j] = {z.real(), z.imag()};
    }
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
      sum.x += s.moment * e.x;
      sum.y += s.moment * e.y;
      sum.z += s.moment * e.z;
    });
    field[3 * i] += factor * sum.x;
    field[3 * i + 1] += factor * sum.y;
    field[3 * i + 2] += factor * sum.z;
  }
}

}  // namespace thinwire
