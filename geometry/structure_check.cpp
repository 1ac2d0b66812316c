#include "geometry/structure_check.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "kernels/base/counted.h"
#include "kernels/base/error.h"

namespace thinwire::detail {

namespace {

std::string to_text(Vec3 p) {
  return fmt::format("({:g}, {:g}, {:g}) m", p.x, p.y, p.z);
}

bool in_range(Vec3 p) {
  const double limit = Structure::max_coordinate_m;
  // Written so that a NaN is out of range.
  return std::abs(p.x) <= limit && std::abs(p.y) <= limit && std::abs(p.z) <= limit;
}

}  // namespace

void refuse(const std::string& text) {
  throw Error(ErrorKind::geometry, text + ".");
}

void no_such_segment(int tag, std::int64_t within_tag, std::int64_t present) {
  if (within_tag < 1) {
    throw Error(ErrorKind::deck,
                fmt::format("segment numbers count from 1 (got {}).", within_tag));
  }
  if (tag == 0) {
    throw Error(ErrorKind::deck, fmt::format("segment {} does not exist (the structure "
                                             "has {}).",
                                             within_tag, counted(present, "segment")));
  }
  if (present == 0) {
    throw Error(ErrorKind::deck,
                fmt::format("tag {} does not exist (no segment carries it).", tag));
  }
  throw Error(ErrorKind::deck,
              fmt::format("segment {} of tag {} does not exist (the tag has {}).",
                          within_tag, tag, counted(present, "segment")));
}

void check_count(std::int64_t count) {
  if (count < 1)
    refuse(fmt::format("number of segments must be positive (got {})", count));
}

void check_radius(double radius_m) {
  if (!(radius_m > 0)) {
    refuse(fmt::format("radius must be positive (got {} m). Give the radius of the wire",
                       radius_m));
  }
  if (radius_m < Structure::min_length_m || radius_m > Structure::max_coordinate_m) {
    refuse(fmt::format("radius must be between {} and {} m (got {} m)",
                       Structure::min_length_m, Structure::max_coordinate_m, radius_m));
  }
}

bool is_segment(const Segment& segment) {
  return in_range(segment.start_m) && in_range(segment.end_m) &&
         norm(segment.end_m - segment.start_m) >= Structure::min_length_m &&
         segment.radius_m >= Structure::min_length_m &&
         segment.radius_m <= Structure::max_coordinate_m;
}

bool is_tag(std::int64_t tag) {
  return tag >= 0 && tag <= std::numeric_limits<int>::max();
}

void check_segment(const Segment& segment, std::size_t number) {
  if (is_segment(segment)) return;
  for (const Vec3 end : {segment.start_m, segment.end_m}) {
    if (!in_range(end)) {
      refuse(
          fmt::format("coordinates must be finite and within {} m (segment {} has an "
                      "end at {})",
                      Structure::max_coordinate_m, number, to_text(end)));
    }
  }
  if (!(norm(segment.end_m - segment.start_m) >= Structure::min_length_m)) {
    refuse(fmt::format("length must not be zero (segment {} starts and ends at {})",
                       number, to_text(segment.start_m)));
  }
  check_radius(segment.radius_m);
}

int grown_tag(int tag, std::int64_t increment) {
  if (tag == 0) return 0;
  const std::int64_t grown = tag + increment;
  if (!is_tag(grown)) {
    refuse(fmt::format("tag numbers must be between 0 and {} (tag {} would become {})",
                       std::numeric_limits<int>::max(), tag, grown));
  }
  return static_cast<int>(grown);
}

}  // namespace thinwire::detail
