// Ranges of segments, and the cards of the listing that name them: PT and PQ.
#include <fmt/format.h>

#include <cmath>

#include "io/deck/control.h"
#include "kernels/base/counted.h"

namespace thinwire {

namespace {

using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

/// Ascending indices as ranges.
Ranges ranges_of(std::span<const std::uint32_t> indices) {
  Ranges ranges;
  for (const std::size_t i : indices) {
    if (!ranges.empty() && ranges.back().second + 1 == i) {
      ranges.back().second = i;
    } else {
      ranges.emplace_back(i, i);
    }
  }
  return ranges;
}

double length_m(const Segment& segment) {
  return norm(segment.end_m - segment.start_m);
}

}  // namespace

int segment_at(const CardFields& card, int tag, std::size_t field,
               std::span<const Segment> segments, const TagIndex& index) {
  const double percent = card.percentage(field, "place on the wire");
  const auto of_tag = index.segments_of(tag);
  if (tag == 0 || of_tag.empty())
    card.refuse(Cause::structure, field, "place on the wire",
                fmt::format("needs the tag of a wire (got {}).", tag));
  if (!(percent >= 0 && percent <= 100))
    card.refuse(field, "place on the wire",
                fmt::format("must be 0 % to 100 % (got {:g} %).", percent));
  double whole_m = 0;
  for (const std::size_t s : of_tag) whole_m += length_m(segments[s]);
  // The place, then its distance from the start of one segment after the other.
  double left_m = percent / 100 * whole_m;
  std::size_t i = 0;
  for (; i + 1 < of_tag.size(); ++i) {
    const double here_m = length_m(segments[of_tag[i]]);
    if (left_m <= here_m * (1 + 1e-9)) break;
    left_m -= here_m;
  }
  const bool is_joint = i + 1 < of_tag.size() &&
                        std::abs(left_m / length_m(segments[of_tag[i]]) - 1) < 1e-9;
  if (is_joint)
    card.warn(
        fmt::format("field {}: {:g} % of tag {} is where segments {} and {} join; "
                    "the first is taken.",
                    field, percent, tag, i + 1, i + 2));
  return static_cast<int>(i + 1);
}

/// The segments first..last of a tag, both 0 meaning all of it and a zero last one the
/// first; tag 0 counts all segments.
Ranges ControlCards::selection(const CardFields& card, int tag, int first, int last) {
  const auto indices = index_.segments_of(tag);
  budget_.spend(static_cast<std::int64_t>(indices.size()), card.line(), messages_);
  if (first == 0 && last == 0) {
    if (indices.empty()) {
      card.refuse(
          Cause::structure,
          fmt::format("field 2 (tag): tag {} does not exist (no segment carries it).",
                      tag));
    }
    return ranges_of(indices);
  }
  if (last == 0) last = first;
  if (first < 1 || last < first) {
    card.refuse(
        fmt::format("fields 3 and 4 (first and last segment): expected 1 <= first "
                    "<= last, got {} and {}.",
                    first, last));
  }
  find_segment(card, tag, first);
  if (!indices.empty() && static_cast<std::size_t>(last) > indices.size()) {
    card.warn(
        fmt::format("field 4 (last segment): {} has {}, and those behind them are "
                    "left out (got {}), as in NEC-2.",
                    tag == 0 ? "the structure" : fmt::format("tag {}", tag),
                    counted(indices.size(), "segment"), last));
    last = static_cast<int>(indices.size());
  }
  return ranges_of(indices.subspan(static_cast<std::size_t>(first - 1),
                                   static_cast<std::size_t>(last - first + 1)));
}

void ControlCards::print_currents(const CardFields& card) {
  list_segments(card, 3, "-2 to 3", next_.listing.current);
}

void ControlCards::print_charges(const CardFields& card) {
  list_segments(card, 0, "-2, -1 or 0", next_.listing.charge);
}

void ControlCards::list_segments(const CardFields& card, int max_mode, const char* modes,
                                 ListedSegments& listed) {
  const int mode = card.integer(1, "mode");
  if (mode < -2 || mode > max_mode) {
    card.refuse(1, "mode", fmt::format("expected {}, got {}.", modes, mode));
  }
  const int tag = card.count(2, "tag");
  const int first = segment_number(card, tag, 3, "first segment");
  const int last = segment_number(card, tag, 4, "last segment");
  card.unused(5, 10);
  listed.all = mode == -2 || (mode >= 0 && first == 0);
  listed.mode = listed.all ? -2 : mode;
  if (listed.mode >= 0) {
    const Ranges segments = selection(card, tag, first, last);
    listed.first = segments.front().first;
    listed.last = segments.back().second;
    listed.tag = tag;
  }
}

}  // namespace thinwire
