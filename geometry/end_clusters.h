#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "geometry/structure.h"
#include "kernels/base/large_vector.h"
#include "kernels/base/monitor.h"

namespace thinwire {

/// NEC joins ends that are closer than this fraction of the shorter segment.
inline constexpr double junction_tolerance = 1e-3;

/// Groups the segments' ends into points: ends of one point have the same root, the first
/// of them. End e of segment s is number 2 s + e. By all threads, in time in proportion
/// to the segments, however many ends meet and however the lengths differ. In a crowd of
/// ends that is denser than the tolerance, that holds to 1 %.
class EndClusters {
 public:
  /// Throws what the monitor does.
  explicit EndClusters(std::span<const Segment> segments, const Monitor& monitor = {});

  std::size_t root(std::size_t i) const { return root_[i]; }
  /// Pairs of ends that were looked at: the work it took.
  std::size_t comparisons() const { return comparisons_; }

 private:
  // 32 bits: there are fewer than 2^31 segments (Structure::max_segments).
  LargeVector<std::uint32_t> root_;  ///< of each end
  std::size_t comparisons_ = 0;
};

}  // namespace thinwire
