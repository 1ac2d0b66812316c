#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/structure.h"

namespace thinwire {

/// Which segments carry which tag, for many look-ups: made once in n log n, asked in
/// log n. A copy of the tags: later changes of the structure do not show.
class TagIndex {
 public:
  explicit TagIndex(std::span<const Segment> segments);

  /// Indices of the segments that carry `tag`, ascending; tag 0: of all segments.
  std::span<const std::uint32_t> segments_of(int tag) const;

  /// As Structure::find: index of the `within_tag`-th (from 1) segment of the tag.
  /// Throws Error{deck} when there is none.
  std::size_t find(int tag, std::int64_t within_tag) const;

  /// As Structure::within_tag: the count, from 1, of a segment among those of its tag.
  std::int64_t within_tag(std::size_t index) const;

 private:
  std::vector<int> tag_;               ///< of each segment
  std::vector<std::uint32_t> all_;     ///< 0, 1, 2, ...
  std::vector<std::uint32_t> by_tag_;  ///< segments, sorted by tag, then by index
  std::vector<int> sorted_tag_;        ///< the tag of each entry of by_tag_
};

}  // namespace thinwire
