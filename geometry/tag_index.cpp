#include "geometry/tag_index.h"

#include <algorithm>
#include <numeric>

#include "geometry/structure_check.h"

namespace thinwire {

TagIndex::TagIndex(std::span<const Segment> segments) {
  tag_.reserve(segments.size());
  for (const Segment& segment : segments) tag_.push_back(segment.tag);
  all_.resize(segments.size());
  std::iota(all_.begin(), all_.end(), 0u);
  by_tag_ = all_;
  if (!std::is_sorted(tag_.begin(), tag_.end()))
    std::stable_sort(by_tag_.begin(), by_tag_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return tag_[a] < tag_[b]; });
  sorted_tag_.reserve(segments.size());
  for (const std::uint32_t i : by_tag_) sorted_tag_.push_back(tag_[i]);
}

std::span<const std::uint32_t> TagIndex::segments_of(int tag) const {
  if (tag == 0) return all_;
  const auto [first, last] =
      std::equal_range(sorted_tag_.begin(), sorted_tag_.end(), tag);
  return std::span(by_tag_).subspan(static_cast<std::size_t>(first - sorted_tag_.begin()),
                                    static_cast<std::size_t>(last - first));
}

std::size_t TagIndex::find(int tag, std::int64_t within_tag) const {
  const auto segments = segments_of(tag);
  const auto count = static_cast<std::int64_t>(segments.size());
  if (within_tag < 1 || within_tag > count) {
    detail::no_such_segment(tag, within_tag, count);
  }
  return segments[static_cast<std::size_t>(within_tag - 1)];
}

std::int64_t TagIndex::within_tag(std::size_t index) const {
  const auto [first, last] =
      std::equal_range(sorted_tag_.begin(), sorted_tag_.end(), tag_.at(index));
  const auto begin = by_tag_.begin() + (first - sorted_tag_.begin());
  const auto end = by_tag_.begin() + (last - sorted_tag_.begin());
  return std::lower_bound(begin, end, static_cast<std::uint32_t>(index)) - begin + 1;
}

}  // namespace thinwire
