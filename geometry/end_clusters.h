#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "geometry/structure.h"
#include "kernels/base/large_vector.h"

namespace thinwire {

/// NEC joins ends that are closer than this fraction of the shorter segment.
inline constexpr double junction_tolerance = 1e-3;

/// Groups the segments' ends into points: ends of one point have the same root, the first
/// of them. End e of segment s is number 2 s + e. By all threads, in time in proportion
/// to the segments unless they differ in length by many orders.
class EndClusters {
 public:
  explicit EndClusters(std::span<const Segment> segments);

  std::size_t root(std::size_t i) const { return root_[i]; }

 private:
  // 32 bits: there are fewer than 2^31 segments (Structure::max_segments).
  LargeVector<std::uint32_t> root_;  ///< of each end
};

}  // namespace thinwire
