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
///     hints     0 1 2 3 | 0 1 0 1 | 0 0 1 2      distance from the later of the two
///     heads
///
/// Steps t = L/2, L/4, .. 1: every entry with t <= hint < 2 t adds itself to the entry t
/// before. Then each head holds the sum of its piece; what the segments that start inside
/// a row hold for it (e, i) are the entries of the next level, summed up the same way,
/// until a level has one segment.

/// Rows or groups of one level: group g has elements ptr[g] .. ptr[g + 1] - 1.
template <template <class> class Array = HostArray>
struct ScanLevel {
  Array<std::int64_t> ptr;    ///< of the first level empty: the matrix's row_ptr
  Array<std::uint8_t> hints;  ///< [elements]
};

/// The first level is that of the matrix's entries; the next has an element for each
/// segment of the one before: what it holds for the row or group that it starts inside
/// of, zero where it starts with a head.
template <template <class> class Array = HostArray>
struct ScanPlan {
  int segment = 0;  ///< entries, a power of two
  std::vector<ScanLevel<Array>> levels;

  std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const ScanLevel<Array>& level : levels)
      bytes += array_bytes(level.ptr) + array_bytes(level.hints);
    return bytes;
  }
  /// Elements of all levels: numbers of the vectors' type that a product works in.
  std::size_t elements() const {
    std::size_t elements = 0;
    for (const ScanLevel<Array>& level : levels) elements += level.hints.size();
    return elements;
  }
};

/// segment: a power of two, 2 .. 256, so that a hint is one byte; else Error{usage}.
ScanPlan<> make_scan_plan(std::span<const std::int64_t> row_ptr, int segment);

/// Whether elements first .. last - 1 go on beyond a segment, and the first segment,
/// *next, that starts in them.
THINWIRE_HD inline bool goes_on(std::int64_t first, std::int64_t last, int segment,
                                std::int64_t* next) {
  *next = (first + segment - 1) / segment;
  return (first / segment + 1) * segment < last;
}

/// The sums of `groups` rows or groups of a level, from what its heads hold and the
/// totals of the next level; zero without elements.
template <class V>
THINWIRE_HD inline V group_total(const std::int64_t* ptr, std::size_t group, int segment,
                                 const V* sums, const V* next_totals) {
  const std::int64_t first = ptr[group], last = ptr[group + 1];
  if (first == last) return V{};
  std::int64_t next = 0;
  if (!goes_on(first, last, segment, &next)) return sums[first];
  return sums[first] + next_totals[next];
}

}  // namespace thinwire
