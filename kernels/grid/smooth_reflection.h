#pragma once

#include <memory>

#include "kernels/element/element.h"
#include "kernels/grid/grid_points.h"
#include "kernels/grid/split_kernel.h"
#include "kernels/ground/ground_pair.h"
#include "kernels/ground/reflecting_surface.h"

namespace thinwire {

/// Kernels of what a ground reflects between a point and another, d apart horizontally
/// (observer less source) and with sum of heights zeta: field components of current
/// components, and of charges, 1/m. Field along x of a vertical current is minus `zx`.
struct ReflectionTensor {
  HdComplex xx, xy, yy, zx, zy, zz, phi;
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
  /// A ground by reflection coefficients, without radials.
  SmoothReflection(const ReflectingSurface& surface, const SplitKernel& split,
                   double near_m);

  ReflectionTensor at(double x_m, double y_m, double zeta_m) const;
  double near_m() const { return closest_.cut_m(); }
  /// Whether xx is yy and xy is 0.
  bool isotropic() const { return table_ != nullptr; }

 private:
  SplitKernel wave_, closest_;
  double k_;
  HdComplex strength_;
  std::shared_ptr<const GroundTable> table_;  ///< null: by coefficients
  ReflectingSurface surface_;
};

/// The sum over the Gauss points of p and q of what a smooth sum on a grid has of the
/// ground: sum_ab [t_p . K . t_q u_i u_j - u_i' u_j' phi / k^2], m. tubes: K averaged
/// over both circumferences, to second order in the radii, but for their product.
struct ReflectedPair {
  HdComplex sum[2][2];
};
ReflectedPair reflected_pair(const SmoothReflection& kernel, const Element& p,
                             std::span<const GridPoint> points_p, const Element& q,
                             std::span<const GridPoint> points_q, bool tubes);

/// Whether the radii of the wires count in what the ground reflects on this grid.
bool reflection_sees_tubes(double largest_radius_m, double spacing_m,
                           const GridClass& grid_class);

}  // namespace thinwire
