#pragma once

#include <memory>

#include "kernels/element/element.h"
#include "kernels/grid/grid_points.h"
#include "kernels/grid/split_kernel.h"
#include "kernels/ground/coefficient_kernels.h"
#include "kernels/ground/ground_pair.h"
#include "kernels/ground/plane_wave.h"
#include "kernels/ground/reflecting_surface.h"

namespace thinwire {

/// Kernels of what a ground reflects between a point and another, d apart horizontally
/// (observer less source) and with sum of heights zeta: field components of current
/// components, and of charges, 1/m. Field along x of a vertical current is minus `zx`.
struct ReflectionTensor {
  HdComplex xx, xy, yy, zx, zy, zz, phi;
};

/// SmoothReflection for CPU or GPU.
struct SmoothReflectionView {
  SplitKernelView wave, closest;
  double k_rad_per_m;
  HdComplex strength;     ///< of the image, which the table lacks
  GroundTableView table;  ///< without boxes: a ground by reflection coefficients
  HdComplex eps;

  THINWIRE_HD ReflectionTensor at(double x_m, double y_m, double zeta_m) const {
    const double d2 = x_m * x_m + y_m * y_m, r2 = d2 + zeta_m * zeta_m;
    // Moved along the ground, to rho'.
    const double away = 1 / closest.at<0>(r2).d[0], off2 = away * away - zeta_m * zeta_m,
                 rho2 = d2 > off2 ? d2 : off2, rho = std::sqrt(rho2),
                 over_rho = rho > 0 ? 1 / rho : 0;
    const HdComplex g = wave.value(std::sqrt(r2));
    ReflectionTensor out;
    HdComplex mixed;
    if (table.boxes) {
      EightSums over_g;
      table.over_g(k_rad_per_m * rho, k_rad_per_m * zeta_m, over_g);
      out.xx = out.yy = g * (HdComplex{over_g[0], over_g[1]} - strength);
      out.phi = g * (HdComplex{over_g[2], over_g[3]} - strength);
      out.zz = g * (HdComplex{over_g[4], over_g[5]} + strength);
      mixed = g * HdComplex{over_g[6], over_g[7]};
    } else {
      const double r = std::sqrt(rho2 + zeta_m * zeta_m), kr = k_rad_per_m * r;
      const auto by = hd_plane_wave_reflection(eps, zeta_m / r);
      const CoefficientKernels c =
          coefficient_kernels(k_rad_per_m, rho, zeta_m, by.theta, -by.phi);
      const HdComplex over_there = g * (r * HdComplex{std::cos(kr), std::sin(kr)}),
                      along = (over_rho * over_rho) *
                              (over_there * (c.radial - c.transverse)),
                      transverse = over_there * c.transverse;
      out.xx = transverse + (x_m * x_m) * along;
      out.yy = transverse + (y_m * y_m) * along;
      out.xy = (x_m * y_m) * along;
      out.zz = over_there * c.vertical;
      mixed = over_there * c.mixed;
    }
    out.zx = (x_m * over_rho) * mixed;
    out.zy = (y_m * over_rho) * mixed;
    return out;
  }
};

/// The reflection of a real ground as a kernel that is smooth on a grid: beyond the near
/// radius r_g from the image (R^2 = d^2 + zeta^2) it is what the ground reflects
/// (half_space.h, coefficient_ground.h), image included: g times G = e^{-jkR}/R, where g
/// varies slowly. Nearer, it is the smooth kernel G_s(R) times g at a point moved away
/// along the ground, to the distance
///     R' = 1 / s(R),
/// where s is a static split kernel: 1/R beyond r_g, and smooth.
class SmoothReflection {
 public:
  /// A ground of ground_pair.h, whose table is not used: one is made for distances up to
  /// `reach_m` and sums of heights within the range. split: G_s, whose r_c is at most
  /// near_m, r_g.
  SmoothReflection(const GroundAt& ground, const SplitKernel& split, double near_m,
                   double reach_m, double zeta_0_m, double zeta_1_m);
  /// A dielectric by reflection coefficients, without radials.
  SmoothReflection(const ReflectingSurface& surface, const SplitKernel& split,
                   double near_m);

  SmoothReflectionView view() const;
  double near_m() const { return closest_.cut_m(); }
  /// Null: by coefficients.
  const GroundTable* table() const { return table_.get(); }
  /// Whether xx is yy and xy is 0.
  bool isotropic() const { return table_ != nullptr; }

 private:
  SplitKernel wave_, closest_;
  double k_;
  Complex eps_;
  std::shared_ptr<const GroundTable> table_;
};

/// The radius from which on wires' radii count in what the ground reflects on this grid.
double reflected_radius_m(double spacing_m, const GridClass& grid_class);

/// The sum over the Gauss points of p and q of what a smooth sum on a grid has of the
/// ground: sum_ab [t_p . K . t_q u_i u_j - u_i' u_j' phi / k^2], m. tubes: TubeMean's of
/// both, but for their product.
struct ReflectedPair {
  HdComplex sum[2][2];
};

THINWIRE_HD inline ReflectedPair reflected_pair(
    const SmoothReflectionView& kernel, const Element& p, const GridPoint* points_p,
    int count_p, const Element& q, const GridPoint* points_q, int count_q, bool tubes) {
  const Vec3 s = p.tangent, t = q.tangent;
  const double k = kernel.k_rad_per_m, a_p = p.radius_m, a_q = q.radius_m;
  // Second differences along the tubes: the point's move, and minus what TubeMean weighs
  // them with.
  const Vec3 moves[] = {a_p * s, a_q * Vec3{t.x, t.y, -t.z}};
  const double weights[] = {-0.25 / TubeMean(k, a_p).on_axis,
                            -0.25 / TubeMean(k, a_q).on_axis};
  // d: of both points, horizontally, and the sum of their heights.
  struct Coupled {
    HdComplex vector, scalar;
  };
  const auto coupled = [&](Vec3 d) -> Coupled {
    const ReflectionTensor k_at = kernel.at(d.x, d.y, d.z > 0 ? d.z : 0);
    return {(s.x * t.x) * k_at.xx + (s.x * t.y + s.y * t.x) * k_at.xy +
                (s.y * t.y) * k_at.yy + (s.z * t.z) * k_at.zz +
                (s.z * t.x - s.x * t.z) * k_at.zx + (s.z * t.y - s.y * t.z) * k_at.zy,
            k_at.phi};
  };
  ReflectedPair out{};
  for (int a = 0; a < count_p; ++a)
    for (int b = 0; b < count_q; ++b) {
      const GridPoint &at = points_p[a], &from = points_q[b];
      const Vec3 d{at.position_m.x - from.position_m.x,
                   at.position_m.y - from.position_m.y,
                   at.position_m.z + from.position_m.z};
      const Coupled axes = coupled(d);
      HdComplex vector = axes.vector, scalar = axes.scalar;
      for (int n = 0; tubes && n < 4; ++n) {
        const double weight = weights[n / 2];
        const Coupled there = coupled(n % 2 == 0 ? d + moves[n / 2] : d - moves[n / 2]);
        vector += weight * (there.vector - axes.vector);
        scalar += weight * (there.scalar - axes.scalar);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          out.sum[i][j] += (at.value[i] * from.value[j]) * vector -
                           (at.derivative[i] * from.derivative[j]) * scalar;
    }
  return out;
}

}  // namespace thinwire
