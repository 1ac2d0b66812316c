#include "kernels/grid/smooth_reflection.h"

#include <algorithm>
#include <cmath>

namespace thinwire {

double reflected_radius_m(double spacing_m, const GridClass& grid_class) {
  // Below, a^2 / 4 times the curvature of kernels smooth over two cells is less than the
  // tolerance of what an image adds.
  return spacing_m * std::sqrt(0.001 * grid_class.tolerance / grid_classes[0].tolerance);
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

}  // namespace thinwire
