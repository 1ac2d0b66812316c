#include "geometry/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "geometry/structure_check.h"
#include "kernels/base/bytes_text.h"
#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"

namespace thinwire {

using detail::check_segment;
using detail::refuse;

Structure::Structure(std::int64_t segment_limit)
    : segment_limit_(std::min(segment_limit, max_segments)) {}

/// Makes room for `count` more segments, or refuses.
void Structure::grow(std::int64_t count) {
  const auto present = static_cast<std::int64_t>(segments_.size());
  if (count > segment_limit_ - present) {
    refuse(
        fmt::format("number of segments must stay within {} (would become {} + {}). "
                    "Use fewer segments or copies",
                    segment_limit_, present, count));
  }
  const auto needed = static_cast<std::size_t>(present + count);
  if (needed <= segments_.capacity()) return;
  const std::size_t capacity = std::max(needed, 2 * segments_.capacity());
  constexpr std::size_t few = 100'000;
  const auto bytes = static_cast<double>(capacity * sizeof(Segment)),
             free = capacity < few ? bytes : static_cast<double>(host_memory().free);
  if (bytes > free)
    throw Error(
        ErrorKind::memory,
        fmt::format("{} segments need {} but this process has {} free. Use fewer "
                    "segments, a higher limit (ulimit -v) or a machine with more memory.",
                    needed, bytes_text(bytes), bytes_text(free)));
  segments_.reserve(capacity);
}

/// Adds the segments between node(0), node(1), ... node(count), all of one radius.
template <typename Node>
void Structure::add_chain(int tag, std::int64_t count, double radius_m, Node node) {
  detail::check_count(count);
  detail::check_radius(radius_m);
  grow(count);
  const std::size_t before = segments_.size();
  Vec3 start_m = node(0);
  for (std::int64_t i = 1; i <= count; ++i) {
    const Vec3 end_m = node(i);
    const Segment segment{start_m, end_m, radius_m, tag};
    try {
      check_segment(segment, static_cast<std::size_t>(i));
    } catch (...) {
      segments_.resize(before);
      throw;
    }
    segments_.push_back(segment);
    start_m = end_m;
  }
  cell_segments_ = 0;
}

void Structure::add_wire(int tag, std::int64_t count, Vec3 start_m, Vec3 end_m,
                         double radius_m) {
  add_chain(tag, count, radius_m, [&](std::int64_t i) {
    if (i == count) return end_m;
    return start_m + (double(i) / double(count)) * (end_m - start_m);
  });
}

void Structure::add_tapered_wire(int tag, std::int64_t count, Vec3 start_m, Vec3 end_m,
                                 double length_ratio, double first_radius_m,
                                 double last_radius_m) {
  if (!(length_ratio > 0) || !std::isfinite(length_ratio)) {
    refuse(fmt::format("segment length ratio must be positive (got {})", length_ratio));
  }
  detail::check_radius(first_radius_m);
  detail::check_radius(last_radius_m);
  // The part of the wire up to node i, (1 - R^i) / (1 - R^n), in the form that neither
  // cancels near R = 1 nor overflows for large R.
  const double q_log = -std::abs(std::log(length_ratio));
  const auto fraction = [&](std::int64_t i) {
    if (q_log == 0) return double(i) / double(count);
    const double part = std::expm1(double(i) * q_log) / std::expm1(double(count) * q_log);
    return length_ratio < 1 ? part : part * std::exp(double(count - i) * q_log);
  };
  const std::size_t before = segments_.size();
  add_chain(tag, count, first_radius_m, [&](std::int64_t i) {
    return i == count ? end_m : start_m + fraction(i) * (end_m - start_m);
  });
  const double radius_log = std::log(last_radius_m / first_radius_m);
  for (std::int64_t i = 1; i < count; ++i) {
    const double part = double(i) / double(count - 1);
    segments_[before + static_cast<std::size_t>(i)].radius_m =
        i == count - 1 ? last_radius_m : first_radius_m * std::exp(part * radius_log);
  }
}

void Structure::add_arc(int tag, std::int64_t count, double arc_radius_m,
                        double start_deg, double end_deg, double wire_radius_m) {
  const double span_deg = end_deg - start_deg;
  if (!(std::abs(span_deg) <= 360)) {
    refuse(fmt::format("arc must not exceed 360 degrees (got {} to {})", start_deg,
                       end_deg));
  }
  add_chain(tag, count, wire_radius_m, [&](std::int64_t i) {
    const double angle = (start_deg + span_deg * double(i) / double(count)) * pi / 180;
    return Vec3{arc_radius_m * std::cos(angle), 0, arc_radius_m * std::sin(angle)};
  });
}

void Structure::add_helix(int tag, std::int64_t count, double turn_spacing_m,
                          double length_m, double start_x_radius_m,
                          double start_y_radius_m, double end_x_radius_m,
                          double end_y_radius_m, double wire_radius_m) {
  if (turn_spacing_m == 0 || !std::isfinite(turn_spacing_m)) {
    refuse(
        fmt::format("spacing between turns must not be zero (got {} m)", turn_spacing_m));
  }
  if (length_m == 0 || !std::isfinite(length_m)) {
    refuse(
        fmt::format("length of a helix must not be zero (got {} m). For a flat spiral "
                    "give a tiny length and spacing: their ratio is the number of "
                    "turns",
                    length_m));
  }
  if (start_y_radius_m == 0 && start_x_radius_m == end_x_radius_m) {
    start_y_radius_m = start_x_radius_m;
  }
  if (end_y_radius_m == 0) {
    end_y_radius_m =
        start_x_radius_m == end_x_radius_m ? start_y_radius_m : end_x_radius_m;
  }
  const double turns = std::abs(length_m) / turn_spacing_m;
  if (!(std::abs(turns) <= 1e9)) {
    refuse(
        fmt::format("length of a helix must be at most 1e9 turns (got {} m at {} m a "
                    "turn)",
                    length_m, turn_spacing_m));
  }
  add_chain(tag, count, wire_radius_m, [&](std::int64_t i) {
    const double part = double(i) / double(count);
    const double angle = 2 * pi * turns * part;
    const double x = std::lerp(start_x_radius_m, end_x_radius_m, part) * std::cos(angle);
    const double y = std::lerp(start_y_radius_m, end_y_radius_m, part) * std::sin(angle);
    const double z = std::abs(length_m) * part;
    return length_m > 0 ? Vec3{x, y, z} : Vec3{y, x, z};
  });
}

void Structure::raise(double height_m, const std::vector<char>& rises) {
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    if (rises[2 * s] != 0) segments_[s].start_m.z += height_m;
    if (rises[2 * s + 1] != 0) segments_[s].end_m.z += height_m;
  }
}

std::size_t Structure::find(int tag, std::int64_t within_tag) const {
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if ((tag == 0 || segments_[i].tag == tag) && ++seen == within_tag) return i;
  }
  detail::no_such_segment(tag, within_tag, seen);
}

void Structure::set_origin(std::size_t first, std::string_view deck, int line) {
  deck_ = deck;
  if (first < segments_.size()) origins_.emplace_back(first, line);
}

std::string Structure::origin(std::size_t segment) const {
  const auto after = std::upper_bound(
      origins_.begin(), origins_.end(), segment,
      [](std::size_t s, const auto& origin) { return s < origin.first; });
  if (after == origins_.begin()) return "geometry";
  return fmt::format("{}:{}", deck_, std::prev(after)->second);
}

std::string Structure::origin(std::size_t segment, int card_line) const {
  return card_line > 0 ? fmt::format("{}:{}", deck_, card_line) : origin(segment);
}

std::int64_t Structure::within_tag(std::size_t index) const {
  const int tag = segments_.at(index).tag;
  const auto end = segments_.begin() + static_cast<std::ptrdiff_t>(index) + 1;
  return std::count_if(segments_.begin(), end,
                       [&](const Segment& segment) { return segment.tag == tag; });
}

}  // namespace thinwire
