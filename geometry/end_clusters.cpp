#include "geometry/end_clusters.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

namespace thinwire {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

}  // namespace

EndClusters::EndClusters(const std::vector<Segment>& segments)
    : segments_(segments),
      parent_(2 * segments.size()),
      next_(2 * segments.size(), none),
      first_(std::bit_ceil(2 * segments.size()), none) {
  std::iota(parent_.begin(), parent_.end(), 0u);
  double longest = 0;
  for (const Segment& s : segments)
    longest = std::max(longest, norm(s.end_m - s.start_m));
  // Many times the tolerance, so that most ends need to look at their own cell only;
  // not a round multiple, nor a border at zero, for the coordinates of antennas are
  // round.
  cell_m_ = std::max(16.18 * junction_tolerance * longest, 1e-300);
  // The lists of many ends are far apart in memory: they are fetched ahead.
  constexpr std::size_t ahead = 32;
  for (std::size_t i = 0; i < parent_.size(); ++i) {
    if (i + ahead < parent_.size() && (i + ahead) % 2 == 1) {
      const Vec3 r = point(i + ahead);
      __builtin_prefetch(&first_[list_of({cell_of(r.x), cell_of(r.y), cell_of(r.z)})]);
    }
    join_neighbours(i);
  }
}

double EndClusters::cell_of(double at) const {
  return std::floor(at / cell_m_ + 0.382);
}

/// Where the ends of a cell are listed, among those of a few other cells.
std::size_t EndClusters::list_of(const Cell& cell) const {
  std::uint64_t h = 0;
  for (const double v : cell) {
    h = (h ^ std::bit_cast<std::uint64_t>(v)) * 0x9e3779b97f4a7c15;
    h ^= h >> 32;
  }
  return h & (first_.size() - 1);
}

void EndClusters::join_neighbours(std::size_t i) {
  const Vec3 r = point(i);
  // Along a wire, where the segment before ends: what joins this end joins that one,
  // which is listed already.
  if (i >= 2 && i % 2 == 0 && r == point(i - 1) &&
      length(i) <= (1 + 1e-9) * length(i - 1)) {
    unite(i, i - 1);
    return;
  }
  // No end that is near can lie outside these cells.
  const double tolerance = junction_tolerance * length(i), reach = (1 + 1e-9) * tolerance;
  const Cell low = {cell_of(r.x - reach), cell_of(r.y - reach), cell_of(r.z - reach)},
             high = {cell_of(r.x + reach), cell_of(r.y + reach), cell_of(r.z + reach)};
  for (int n = 0; n < 8; ++n) {
    const bool seen_before = ((n & 1) && high[0] == low[0]) ||
                             ((n & 2) && high[1] == low[1]) ||
                             ((n & 4) && high[2] == low[2]);
    if (seen_before) continue;
    const std::size_t list = list_of(
        {n & 1 ? high[0] : low[0], n & 2 ? high[1] : low[1], n & 4 ? high[2] : low[2]});
    for (std::size_t other = first_[list]; other != none; other = next_[other]) {
      const double away = norm(point(other) - r);
      if (other / 2 != i / 2 && away <= tolerance &&
          away <= junction_tolerance * length(other))
        unite(i, other);
    }
  }
  const std::size_t list = list_of({cell_of(r.x), cell_of(r.y), cell_of(r.z)});
  next_[i] = std::exchange(first_[list], static_cast<std::uint32_t>(i));
}

/// The earlier end stays the root, so that a junction lies where its first wire ends.
void EndClusters::unite(std::size_t i, std::size_t j) {
  i = root(i);
  j = root(j);
  const auto first = static_cast<std::uint32_t>(std::min(i, j));
  // Both: shorter chains for later look-ups.
  parent_[i] = parent_[j] = first;
}

}  // namespace thinwire
