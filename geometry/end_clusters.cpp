#include "geometry/end_clusters.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/base/disjoint_sets.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

/// Ends that a thread takes at once, and about how many come to a bucket, whose lists
/// then stay in the cache.
constexpr std::size_t chunk = std::size_t{1} << 16, bucket = std::size_t{1} << 14;
constexpr std::size_t max_buckets = 4096;

/// The segments' ends in grids of cubes, one for segments of about one length: each
/// level's are up to four times as long as the next one's, so that no cube that fits long
/// segments holds the ends of many short ones.
class EndGrid {
 public:
  explicit EndGrid(std::span<const Segment> segments) : segments_(segments) {
    longest_m_ = joined_cheap(
        segments.size(), 0.0, [](double a, double b) { return std::max(a, b); },
        [&](std::size_t s) { return length(2 * s); });
    const auto present =
        joined_cheap(segments.size(), std::uint64_t{0}, std::bit_or(),
                     [&](std::size_t s) { return std::uint64_t{1} << level(2 * s); });
    for (int l = 0; l <= last_level; ++l)
      if ((present >> l & 1) != 0) levels_.push_back(l);
    // Many times the tolerance, so that most ends reach their own cell only; not a round
    // multiple, nor a border at zero, for the coordinates of antennas are round.
    cell_m_ = std::max(16.18 * junction_tolerance * longest_m_, 1e-300);
  }

  std::size_t ends() const { return 2 * segments_.size(); }
  /// Along a wire, where the segment before ends: what joins this end joins that one.
  bool follows(std::size_t i) const {
    return i >= 2 && i % 2 == 0 && point(i) == point(i - 1) &&
           length(i) <= (1 + 1e-9) * length(i - 1);
  }
  bool touch(std::size_t i, std::size_t j) const {
    const double away = norm(point(j) - point(i));
    return j / 2 != i / 2 && away <= junction_tolerance * length(i) &&
           away <= junction_tolerance * length(j);
  }
  /// Where an end stands for others in comparisons: both are at one place, or in a crowd
  /// so near that no other end tells them apart by more than 1 % of the tolerance.
  bool same_place(std::size_t i, std::size_t j, bool crowd) const {
    const Vec3 away = point(i) - point(j);
    const double nearest = crowd ? 0.01 * junction_tolerance * length(i) : 0;
    return dot(away, away) <= nearest * nearest;
  }
  bool longer(std::size_t i, std::size_t j) const { return length(i) > length(j); }

  /// take(hash, is_guest) for each cell in which an end may lie that touches end i: of
  /// its own level, and, as a guest, of the levels of longer segments.
  template <class Take>
  void for_cells_near(std::size_t i, const Take& take) const {
    const int own = level(i);
    for (const int l : levels_)
      if (l <= own) for_cells_of(l, i, [&](std::uint64_t hash) { take(hash, l < own); });
  }

 private:
  using Cell = std::array<double, 3>;
  /// All shorter segments share the last level.
  static constexpr int last_level = 63;

  int level(std::size_t i) const {
    const double times = 0.5 * std::log2(longest_m_ / length(i));
    return static_cast<int>(std::clamp(times, 0.0, static_cast<double>(last_level)));
  }

  template <class Take>
  void for_cells_of(int level, std::size_t i, const Take& take) const {
    const Vec3 r = point(i);
    const double reach = (1 + 1e-9) * junction_tolerance * length(i),
                 cell_m = std::max(std::ldexp(cell_m_, -2 * level), 1e-300);
    const auto cell_of = [=](double at) { return std::floor(at / cell_m + 0.382); };
    const Cell low = {cell_of(r.x - reach), cell_of(r.y - reach), cell_of(r.z - reach)},
               high = {cell_of(r.x + reach), cell_of(r.y + reach), cell_of(r.z + reach)};
    for (int n = 0; n < 8; ++n) {
      const bool seen_before = ((n & 1) && high[0] == low[0]) ||
                               ((n & 2) && high[1] == low[1]) ||
                               ((n & 4) && high[2] == low[2]);
      if (!seen_before)
        take(hash_of(level, {n & 1 ? high[0] : low[0], n & 2 ? high[1] : low[1],
                             n & 4 ? high[2] : low[2]}));
    }
  }

  Vec3 point(std::size_t i) const {
    return i % 2 == 0 ? segments_[i / 2].start_m : segments_[i / 2].end_m;
  }
  double length(std::size_t i) const {
    return norm(segments_[i / 2].end_m - segments_[i / 2].start_m);
  }
  static std::uint64_t hash_of(int level, const Cell& cell) {
    auto h = static_cast<std::uint64_t>(level);
    for (const double v : cell) {
      h = (h ^ std::bit_cast<std::uint64_t>(v)) * 0x9e3779b97f4a7c15;
      h ^= h >> 32;
    }
    return h;
  }

  std::span<const Segment> segments_;
  double longest_m_ = 0;
  double cell_m_ = 0;        ///< of level 0
  std::vector<int> levels_;  ///< that segments have
};

/// An end that reaches a cell.
struct Entry {
  std::uint32_t cell;  ///< part of its hash, the lowest bit telling guests
  std::uint32_t end;

  bool is_guest() const { return (cell & 1) != 0; }
  std::uint32_t place() const { return cell >> 1; }
};

/// Ends with the cells they reach, by parts of the cells' hashes: two that touch meet in
/// the bucket of either's own cell.
struct Buckets {
  Buckets(const EndGrid& grid, const Monitor& monitor);
  std::size_t count() const { return first.size() - 1; }

  LargeVector<Entry> entries;
  std::vector<std::size_t> first;  ///< [buckets + 1]
};

Buckets::Buckets(const EndGrid& grid, const Monitor& monitor) {
  const std::size_t ends = grid.ends(), chunks = (ends + chunk - 1) / chunk,
                    buckets = std::min(std::bit_ceil(ends / bucket + 1), max_buckets);
  const int shift = 32 - std::countr_zero(buckets);
  // of_chunk(c, take): take(bucket, entry).
  const auto for_entries = [&](std::size_t c, const auto& take) {
    for (std::size_t i = c * chunk; i < std::min(ends, (c + 1) * chunk); ++i) {
      if (grid.follows(i)) continue;
      grid.for_cells_near(i, [&](std::uint64_t hash, bool guest) {
        const std::uint64_t high = hash >> 32;
        const auto cell = static_cast<std::uint32_t>(hash) << 1 | std::uint32_t{guest};
        take(high >> shift, Entry{cell, static_cast<std::uint32_t>(i)});
      });
    }
  };
  // Where the entries of a bucket from a chunk begin, [buckets][chunks]; before that, one
  // place later, how many they are.
  std::vector<std::size_t> begin(buckets * chunks + 1, 0);
  for_each_parallel(chunks, [&](std::size_t c) {
    for_entries(c, [&](std::size_t b, Entry) { ++begin[b * chunks + c + 1]; });
  });
  monitor.report("mesh", 0.5);
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (std::size_t b = 0; b <= buckets; ++b) first.push_back(begin[b * chunks]);
  entries.resize(first.back());
  for_each_parallel(chunks, [&](std::size_t c) {
    for_entries(
        c, [&](std::size_t b, Entry entry) { entries[begin[b * chunks + c]++] = entry; });
  });
}

/// Unites the ends of a bucket that touch, by lists of those whose cells have the same
/// last digits, guests apart: two guests of a cell meet in one of their own level.
class Joiner {
 public:
  Joiner(const EndGrid& grid, DisjointSets& ends) : grid_(grid), ends_(ends) {}

  void join(std::span<Entry> entries) {
    latest_.assign(std::bit_ceil(entries.size()), none);
    latest_guest_.assign(latest_.size(), none);
    before_.resize(entries.size());
    for (std::uint32_t e = 0; e < entries.size(); ++e) {
      const std::size_t list = entries[e].place() & (latest_.size() - 1);
      if (entries[e].is_guest()) {
        unite(entries, e, latest_[list]);
        before_[e] = std::exchange(latest_guest_[list], e);
      } else if (!is_stood_for(entries, e, latest_[list])) {
        unite(entries, e, latest_[list]);
        unite(entries, e, latest_guest_[list]);
        before_[e] = std::exchange(latest_[list], e);
      }
    }
  }

  std::size_t comparisons() const { return comparisons_; }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  /// Entries of a list that make a crowd.
  static constexpr int crowd = 32;

  /// Unites an end with those of a list that touch it.
  void unite(std::span<const Entry> entries, std::uint32_t e, std::uint32_t latest) {
    for (std::uint32_t other = latest; other != none; other = before_[other]) {
      ++comparisons_;
      if (entries[other].place() == entries[e].place() &&
          grid_.touch(entries[other].end, entries[e].end))
        ends_.unite(entries[other].end, entries[e].end);
    }
  }

  /// Whether an end of the list lies at the same place, as all but one of the ends of a
  /// junction do: unites the two, of which the one of the longer segment stays in the
  /// list and touches whatever the other does.
  bool is_stood_for(std::span<Entry> entries, std::uint32_t e, std::uint32_t latest) {
    int seen = 0;
    for (std::uint32_t other = latest; other != none; other = before_[other]) {
      ++comparisons_;
      if (entries[other].place() != entries[e].place() ||
          !grid_.same_place(entries[e].end, entries[other].end, ++seen > crowd) ||
          !grid_.touch(entries[other].end, entries[e].end))
        continue;
      ends_.unite(entries[other].end, entries[e].end);
      if (grid_.longer(entries[e].end, entries[other].end)) {
        // It reaches farther than the one before it did.
        entries[other].end = entries[e].end;
        unite(entries, e, latest);
      }
      return true;
    }
    return false;
  }

  const EndGrid& grid_;
  DisjointSets& ends_;
  std::size_t comparisons_ = 0;
  std::vector<std::uint32_t> latest_, latest_guest_;  ///< of each list
  std::vector<std::uint32_t> before_;                 ///< of each entry in its list
};

}  // namespace

EndClusters::EndClusters(std::span<const Segment> segments, const Monitor& monitor)
    : root_(2 * segments.size()) {
  monitor.report("mesh", 0);
  const EndGrid grid(segments);
  DisjointSets ends(root_.size());
  for_each_cheap(segments.size(), [&](std::size_t s) {
    if (grid.follows(2 * s)) ends.unite(2 * s - 1, 2 * s);
  });
  monitor.report("mesh", 0.2);
  Buckets buckets(grid, monitor.part(0.2, 0.6));
  monitor.report("mesh", 0.6);
  std::atomic<std::size_t> comparisons = 0;
  for_each_parallel(buckets.count(), [&](std::size_t b) {
    if (monitor.stopped()) return;
    Joiner joiner(grid, ends);
    joiner.join({buckets.entries.data() + buckets.first[b],
                 buckets.entries.data() + buckets.first[b + 1]});
    comparisons += joiner.comparisons();
  });
  comparisons_ = comparisons;
  monitor.report("mesh", 0.9);
  // The earlier end is the root, so that a junction lies where its first wire ends.
  for_each_cheap(root_.size(), [&](std::size_t i) {
    root_[i] = static_cast<std::uint32_t>(ends.root(i));
  });
}

}  // namespace thinwire
