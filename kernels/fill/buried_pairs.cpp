#include "kernels/fill/buried_pairs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/element/medium.h"
#include "kernels/element/medium_pair.h"
#include "kernels/element/quadrature_order.h"

namespace thinwire {
namespace {

Element mirrored(const Element& e) {
  return Medium::perfect_ground().source(e, 1);
}

void add(const ElementMatrix& m, ElementMatrix& sum) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) sum.z[i][j] += m.z[i][j];
}

/// Both in the ground.
ElementMatrix below_pair(const Element& p, const Element& q, const BuriedGroundAt& ground,
                         GreensKernel kernel) {
  const double k = ground.k_rad_per_m();
  const Complex k2 = k * std::sqrt(ground.eps), c0 = image_strength(ground.eps);
  const PairWave direct = {to_hd(k2), {1, 0}, to_hd(1.0 / ground.eps)};
  const PairWave image = {to_hd(k2), to_hd(c0), to_hd(c0 / ground.eps)};
  const Element p_image = mirrored(p);
  ElementMatrix sum = pair_in_medium(p, q, k, direct, kernel);
  constexpr double dead_nats = 40;  // below the rounding of a double
  if (-k2.imag() * axis_distance(p_image, q) < dead_nats)
    add(pair_in_medium(p_image, q, k, image, kernel), sum);
  add(ground_pair(p_image, mirrored(q), ground.below), sum);
  return sum;
}

ElementMatrix pair_across(const Element& above, const Element& below,
                          const BuriedGroundAt& ground, GreensKernel kernel) {
  const double k = ground.k_rad_per_m();
  const PairWave wave = {{k, 0}, {1, 0}, to_hd(2.0 / (ground.eps + 1.0))};
  ElementMatrix sum = pair_in_medium(above, below, k, wave, kernel);
  add(transmission_pair(above, below, ground.across), sum);
  return sum;
}

/// Whether the pair is dear to integrate. Images are as near as the elements, or farther.
bool near_in_ground(const Element& p, const Element& q, const GroundWaves& waves,
                    double dead_m, bool exact) {
  const double distance = norm(centre_of(p) - centre_of(q)),
               length = std::max(p.length_m, q.length_m),
               radius = exact ? std::max(p.radius_m, q.radius_m) : 0;
  if (ground_order(distance, length, waves) == 0) return true;
  // Across the surface the direct wave is that of air.
  const bool both_below = is_below(p) && is_below(q);
  if (both_below && distance > dead_m + p.length_m + q.length_m) return false;
  return far_order(distance, length, radius,
                   both_below ? std::max(waves.above, waves.below) : waves.above) == 0;
}

}  // namespace

ElementMatrix buried_pair(const Element& p, const Element& q,
                          const BuriedGroundAt& ground, GreensKernel kernel) {
  if (is_below(p) && is_below(q)) return below_pair(p, q, ground, kernel);
  return is_below(q) ? pair_across(p, q, ground, kernel)
                     : transposed(pair_across(q, p, ground, kernel));
}

BuriedPairs::BuriedPairs(std::span<const Element> elements, const BuriedGroundAt& ground,
                         GreensKernel kernel, const Monitor& monitor)
    : elements_(elements),
      ground_(ground),
      kernel_(kernel),
      far_below_(ground.below, kernel) {
  const GroundWaves waves = ground.waves();
  const bool exact = kernel == GreensKernel::exact;
  const double k = std::max(waves.above, waves.below);
  std::vector<Vec3> centre;
  std::vector<double> reach;
  for (const Element& e : elements) {
    const double radius = exact ? e.radius_m : 0;
    centre.push_back(centre_of(e));
    reach.push_back(std::max({near_reach(e.length_m, radius, waves.above),
                              std::min(near_reach(e.length_m, radius, k),
                                       0.5 * far_below_.dead_m() + e.length_m),
                              ground_reach(e.length_m, waves)}));
  }
  ElementPairs pairs =
      close_pairs(centre, centre, reach, [&](std::uint32_t p, std::uint32_t q) {
        return !monitor.stopped() && (is_below(elements[p]) || is_below(elements[q])) &&
               near_in_ground(elements[p], elements[q], waves, far_below_.dead_m(),
                              exact);
      });
  monitor.check();
  near_ = {elements, std::move(pairs), AlikeOverGround::as_a_whole, monitor,
           [&](std::uint32_t p, std::uint32_t q) {
             return buried_pair(elements[p], elements[q], ground, kernel);
           }};
}

ElementMatrix BuriedPairs::at(std::uint32_t p, std::uint32_t q) const {
  if (q > p) return transposed(at(q, p));
  const Element &one = elements_[p], &other = elements_[q];
  if (is_below(one) && is_below(other))
    if (const int order = far_below_.order(one, other))
      return far_below_.matrix(one, other, order);
  if (const ElementMatrix* m = near_.find(p, q)) return *m;
  return buried_pair(one, other, ground_, kernel_);
}

}  // namespace thinwire
