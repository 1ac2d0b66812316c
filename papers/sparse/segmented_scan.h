#pragma once

#include <span>

#include "kernels/spmv/csr.h"

namespace thinwire {

/// Segmented scan with index hints (Ohshima 2011, after Blelloch 1993): entries are cut
/// into segments of equal length, whatever the rows, so that every thread has as much to
/// do as the others.
///
///     entries   a b c d | e f g h | i j k l      segments of 4
///     rows      R - - - | - - R - | - R - -      R: a row's head
///     hints     0 1 2 3 | * 1 0 1 | * 0 1 2      distance from the later of the two
///     heads
///
/// Steps t = L/2, L/4, .. 1: every entry with t <= hint < 2 t adds itself to the entry t
/// before. Then each head holds the sum of its piece; what the segments that start inside
/// a row hold for it (*: e, i) are the entries of the next level, summed up the same way,
/// until a level has one segment. A row's sum is that of its heads in all levels.

/// The hint of a segment's first entry where a row, or a group of the level, goes on from
/// the segment before; the distance of such an entry is zero.
inline constexpr std::uint8_t scan_goes_on = 1;

template <template <class> class Array = HostArray>
struct ScanPlan {
  int segment = 0;  ///< entries, a power of two
  /// Hints of the matrix's entries; then, for each segment of the previous level, the sum
  /// for the row that it starts inside of, zero where it starts with a head.
  std::vector<Array<std::uint8_t>> hints;

  std::size_t bytes() const { return elements(); }
  /// Elements of all levels: numbers of the vectors' type that a product works in.
  std::size_t elements() const {
    std::size_t elements = 0;
    for (const Array<std::uint8_t>& level : hints) elements += level.size();
    return elements;
  }
};

/// segment: a power of two, 4 .. 256, so that a hint is one byte; else Error{usage}.
ScanPlan<> make_scan_plan(std::span<const std::int64_t> row_ptr, int segment);

/// Sums at the heads of each level.
template <class V>
struct ScanSums {
  static constexpr int max_levels = 32;  ///< 4^32 entries
  int segment = 0;
  const V* level[max_levels] = {};
};

/// The sum of a row of entries first .. last - 1; zero without any.
template <class V>
THINWIRE_HD inline V scan_total(const ScanSums<V>& sums, std::int64_t first,
                                std::int64_t last) {
  if (first == last) return V{};
  const std::int64_t L = sums.segment;
  V total = sums.level[0][first];
  for (int level = 1; (first / L + 1) * L < last; ++level) {
    first = (first + L - 1) / L;
    last = (last + L - 1) / L;
    total = total + sums.level[level][first];
  }
  return total;
}

}  // namespace thinwire
