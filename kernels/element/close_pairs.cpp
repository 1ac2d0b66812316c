#include "kernels/element/close_pairs.h"

namespace thinwire {

ReachIndex::ReachIndex(std::span<const Vec3> places_m, std::span<const double> reach_m,
                       const Monitor& monitor)
    : reach_m_(reach_m.begin(), reach_m.end()), level_(places_m.size(), 0) {
  if (places_m.empty()) return;
  Vec3 low = places_m.front(), high = low;
  for (const Vec3& p : places_m) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  // Includes mirrored places, which lie as far below the ground as the others above.
  const double widest =
      norm(high - low) + 2 * std::max(std::fabs(low.z), std::fabs(high.z));
  // Nothing is farther, whatever reaches say: all of them may be infinite.
  farthest_m_ = widest > 0 ? widest : 1;
  for (double& reach : reach_m_) reach = std::min(reach, farthest_m_);
  shortest_m_ = *std::min_element(reach_m_.begin(), reach_m_.end());
  for (std::size_t p = 0; p < reach_m_.size(); ++p) {
    level_[p] = level_for(reach_m_[p]);
    if (level_[p] >= static_cast<int>(levels_.size())) levels_.resize(level_[p] + 1);
    Level& level = levels_[level_[p]];
    level.number.push_back(static_cast<std::uint32_t>(p));
    level.longest_m = std::max(level.longest_m, reach_m_[p]);
  }
  for (Level& level : levels_) {
    std::vector<Vec3> places;
    for (const std::uint32_t p : level.number) places.push_back(places_m[p]);
    level.places = PointIndex(places, monitor);
  }
}

int ReachIndex::level_for(double reach_m) const {
  // No number where nothing is in the index.
  const double octaves = std::log2(std::min(reach_m, farthest_m_) / shortest_m_);
  return static_cast<int>(std::ceil(std::max(0.0, octaves)));
}

}  // namespace thinwire
