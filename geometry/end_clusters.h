#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/structure.h"

namespace thinwire {

/// NEC joins ends that are closer than this fraction of the shorter segment.
inline constexpr double junction_tolerance = 1e-3;

/// Groups the segments' ends into points: ends of one point have the same root, the first
/// of them. End e of segment s is number 2 s + e.
class EndClusters {
 public:
  /// segments must outlive this.
  explicit EndClusters(const std::vector<Segment>& segments);

  std::size_t root(std::size_t i) const {
    while (parent_[i] != i) i = parent_[i];
    return i;
  }

 private:
  using Cell = std::array<double, 3>;

  Vec3 point(std::size_t i) const {
    return i % 2 == 0 ? segments_[i / 2].start_m : segments_[i / 2].end_m;
  }
  double length(std::size_t i) const {
    return norm(segments_[i / 2].end_m - segments_[i / 2].start_m);
  }
  double cell_of(double at) const;
  std::size_t list_of(const Cell& cell) const;
  void join_neighbours(std::size_t i);
  void unite(std::size_t i, std::size_t j);

  const std::vector<Segment>& segments_;
  // 32 bits: there are fewer than 2^31 segments (Structure::max_segments).
  std::vector<std::uint32_t> parent_;
  /// Ends that were looked at, listed by their cell's hash: the latest of each list, and
  /// the one before each end.
  std::vector<std::uint32_t> next_, first_;
  double cell_m_ = 0;
};

}  // namespace thinwire
