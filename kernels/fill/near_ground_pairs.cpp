#include "kernels/fill/near_ground_pairs.h"

#include <algorithm>
#include <utility>

#include "kernels/element/medium.h"
#include "kernels/element/near_pair.h"

namespace thinwire {
ElementMatrix near_reflection(const Element& p, const Element& q, const GroundAt& ground,
                              GreensKernel kernel) {
  const Medium medium = Medium::perfect_ground();
  const ElementMatrix image =
      near_pair(medium.source(p, 1), q, ground.k_rad_per_m, kernel);
  const Complex strength = medium.factor(1) * image_strength(ground.eps);
  const HdComplex c0 = {strength.real(), strength.imag()};
  ElementMatrix m = ground_pair(p, q, ground);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) m.z[i][j] += c0 * image.z[i][j];
  return m;
}

NearGroundPairs::NearGroundPairs(std::span<const Element> elements,
                                 const GroundAt& ground, GreensKernel kernel,
                                 const Monitor& monitor) {
  const GroundWaves waves = waves_of(ground);
  const bool exact = kernel == GreensKernel::exact;
  std::vector<Vec3> centre, image_centre;
  std::vector<double> reach;
  for (const Element& e : elements) {
    centre.push_back(centre_of(e));
    image_centre.push_back({centre.back().x, centre.back().y, -centre.back().z});
    reach.push_back(
        std::max(near_reach(e.length_m, exact ? e.radius_m : 0, ground.k_rad_per_m),
                 ground_reach(e.length_m, waves)));
  }
  ElementPairs pairs =
      close_pairs(image_centre, centre, reach, [&](std::uint32_t p, std::uint32_t q) {
        return !monitor.stopped() && !is_below(elements[p]) && !is_below(elements[q]) &&
               reflection_order(elements[p], elements[q], waves, exact) == 0;
      });
  monitor.check();
  matrices_ = {elements, std::move(pairs), AlikeOverGround::in_reflection, monitor,
               [&](std::uint32_t p, std::uint32_t q) {
                 return near_reflection(elements[p], elements[q], ground, kernel);
               }};
}

ElementMatrix NearGroundPairs::at(std::uint32_t p, std::uint32_t q) const {
  return q > p ? transposed(at(q, p)) : *matrices_.find(p, q);
}

}  // namespace thinwire
