#include "kernels/grid/smooth_reflection.h"

#include <algorithm>
#include <cmath>

namespace thinwire {

bool reflection_sees_tubes(double largest_radius, double spacing,
                           const GridClass& grid_class) {
  // Below, a^2 / 4 times the curvature of kernels smooth over two cells is less than the
  // tolerance of what an image adds.
  const double a = largest_radius / spacing;
  return a * a > 0.001 * grid_class.tolerance / grid_classes[0].tolerance;
}

SmoothReflection::SmoothReflection(const GroundAt& ground, const SplitKernel& split,
                                   double near, double reach, double zeta_0,
                                   double zeta_1)
    : wave_(split),
      closest_(0, near, split.beta()),
      k_(ground.k_rad_per_m),
      eps_(ground.eps) {
  // Points are moved to this distance at least.
  const double least = 1 / closest_.view().value(0).re,
               most = std::hypot(std::max(reach, near), zeta_1);
  ReflectionPlaces places(k_ * least, k_ * most);
  places.add({0, k_ * most, k_ * zeta_0, k_ * zeta_1});
  table_ = std::make_shared<const GroundTable>(ground.eps, places);
}

SmoothReflection::SmoothReflection(const ReflectingSurface& surface,
                                   const SplitKernel& split, double near)
    : wave_(split),
      closest_(0, near, split.beta()),
      k_(surface.k_rad_per_m),
      eps_(surface.eps) {}

SmoothReflectionView SmoothReflection::view() const {
  return {wave_.view(),
          closest_.view(),
          k_,
          to_hd(image_strength(eps_)),
          table_ ? table_->view() : GroundTableView{},
          to_hd(eps_)};
}

namespace {

/// t_p . K . t_q, and that of charges.
struct Coupled {
  HdComplex vector, scalar;

  Coupled(const ReflectionTensor& k, const Vec3& s, const Vec3& t)
      : vector((s.x * t.x) * k.xx + (s.x * t.y + s.y * t.x) * k.xy + (s.y * t.y) * k.yy +
               (s.z * t.z) * k.zz + (s.z * t.x - s.x * t.z) * k.zx +
               (s.z * t.y - s.y * t.z) * k.zy),
        scalar(k.phi) {}
};

}  // namespace

ReflectedPair reflected_pair(const SmoothReflectionView& kernel, const Element& p,
                             std::span<const GridPoint> points_p, const Element& q,
                             std::span<const GridPoint> points_q, bool tubes) {
  const Vec3 &s = p.tangent, &t = q.tangent;
  const double k = kernel.k_rad_per_m, a_p = p.radius_m, a_q = q.radius_m;
  // Second differences along the tubes: the move, and minus what TubeMean weighs them
  // with.
  const struct {
    Vec3 by;
    double weight;
  } bends[] = {{a_p * s, -0.25 / TubeMean(k, a_p).on_axis},
               {a_q * Vec3{t.x, t.y, -t.z}, -0.25 / TubeMean(k, a_q).on_axis}};
  // d: of both points, horizontally, and the sum of their heights.
  const auto coupled = [&](const Vec3& d) {
    return Coupled(kernel.at(d.x, d.y, std::max(0.0, d.z)), s, t);
  };
  ReflectedPair out{};
  for (const GridPoint& a : points_p)
    for (const GridPoint& b : points_q) {
      const Vec3 d{a.position_m.x - b.position_m.x, a.position_m.y - b.position_m.y,
                   a.position_m.z + b.position_m.z};
      const Coupled axes = coupled(d);
      HdComplex vector = axes.vector, scalar = axes.scalar;
      for (int n = 0; tubes && n < 2; ++n)
        for (const Vec3& by : {bends[n].by, -bends[n].by}) {
          const Coupled there = coupled(d + by);
          vector += bends[n].weight * (there.vector - axes.vector);
          scalar += bends[n].weight * (there.scalar - axes.scalar);
        }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          out.sum[i][j] += (a.value[i] * b.value[j]) * vector -
                           (a.derivative[i] * b.derivative[j]) * scalar;
    }
  return out;
}

}  // namespace thinwire
