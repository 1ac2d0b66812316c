#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/structure.h"
#include "geometry/structure_check.h"
#include "kernels/base/constants.h"
#include "kernels/base/parallel.h"

namespace thinwire {

using detail::check_segment;
using detail::grown_tag;
using detail::is_segment;
using detail::is_tag;
using detail::refuse;

namespace {

/// cos and sin of an angle in degrees, exact at multiples of 90 degrees, so that what is
/// turned by a right angle stays on its axis.
struct Turn {
  double c = 1, s = 0;
  explicit Turn(double angle_deg) {
    const double reduced = std::remainder(angle_deg, 360.0);
    if (std::remainder(reduced, 90.0) == 0) {
      const int quarter = (static_cast<int>(std::lround(reduced / 90)) + 4) % 4;
      c = quarter == 0 ? 1 : quarter == 2 ? -1 : 0;
      s = quarter == 1 ? 1 : quarter == 3 ? -1 : 0;
    } else {
      c = std::cos(reduced * pi / 180);
      s = std::sin(reduced * pi / 180);
    }
  }
};

void check_finite(Vec3 v, const char* what) {
  if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z)) {
    refuse(fmt::format("{} must be finite (got {}, {}, {})", what, v.x, v.y, v.z));
  }
}

void check_copies(std::int64_t copies, std::int64_t least) {
  if (copies < least) {
    refuse(fmt::format("number of copies must be at least {} (got {})", least, copies));
  }
}

/// copies * count, or the largest number where that would overflow.
std::int64_t product(std::int64_t copies, std::size_t count) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto each = static_cast<std::int64_t>(count);
  return each > 0 && copies > most / each ? most : copies * each;
}

double coordinate(Vec3 p, char axis) {
  return axis == 'x' ? p.x : axis == 'y' ? p.y : p.z;
}

Vec3 mirrored(Vec3 p, char axis) {
  return {axis == 'x' ? -p.x : p.x, axis == 'y' ? -p.y : p.y, axis == 'z' ? -p.z : p.z};
}

/// Refuses a segment that its own mirror image would cross or cover. An end that is
/// beyond the plane by less than the junction tolerance counts as being on it.
void check_reflection(const Segment& segment, char axis, std::size_t number) {
  const double e1 = coordinate(segment.start_m, axis);
  const double e2 = coordinate(segment.end_m, axis);
  const double length_m = norm(segment.end_m - segment.start_m);
  const bool lies = std::abs(e1) <= 1e-6 * length_m && std::abs(e2) <= 1e-6 * length_m;
  const bool crosses =
      e1 * e2 < 0 && std::min(std::abs(e1), std::abs(e2)) > 1e-3 * length_m;
  if (lies || crosses) {
    refuse(fmt::format(
        "segment {} {} the plane of reflection {} = 0 ({} = {:g} and {:g} m at "
        "its ends)",
        number, lies ? "lies in" : "crosses", axis, axis, e1, e2));
  }
}

}  // namespace

/// Appends `copies` images of `count` segments from `first`, map(segment) the first and
/// each further one that of the image before; grow() has made room.
template <typename Map>
void Structure::append_images(std::size_t first, std::size_t count, std::size_t copies,
                              std::int64_t tag_increment, const Map& map) {
  const std::size_t before = segments_.size();
  segments_.resize(before + copies * count);
  std::size_t refused = segments_.size();
  const bool many = copies * count >= worth_threads;
#pragma omp parallel for schedule(static) if (many) reduction(min : refused)
  for (std::size_t i = 0; i < count; ++i) {
    Segment image = segments_[first + i];
    for (std::size_t at = before + i; at < segments_.size(); at += count) {
      image.start_m = map(image.start_m);
      image.end_m = map(image.end_m);
      const std::int64_t tag = image.tag == 0 ? 0 : image.tag + tag_increment;
      image.tag = static_cast<int>(tag);
      segments_[at] = image;
      if (!is_tag(tag) || !is_segment(image)) refused = std::min(refused, at);
    }
  }
  if (refused == segments_.size()) return;
  const Segment image = segments_[refused];
  // The source of the first of them, whose tag counts.
  const std::size_t from =
      refused < before + count ? first + (refused - before) : refused - count;
  const int tag = segments_[from].tag;
  segments_.resize(before);
  grown_tag(tag, tag_increment);
  check_segment(image, refused + 1);
}

void Structure::move(int tag_increment, std::int64_t copies, Vec3 rotation_deg,
                     Vec3 translation_m, int first_tag) {
  check_copies(copies, 0);
  check_finite(rotation_deg, "rotation");
  check_finite(translation_m, "translation");
  const std::size_t first = first_tag == 0 ? 0 : find(first_tag, 1);
  const std::size_t count = segments_.size() - first;
  const Turn x(rotation_deg.x), y(rotation_deg.y), z(rotation_deg.z);
  const auto map = [&](Vec3 p) {
    p = {p.x, x.c * p.y - x.s * p.z, x.s * p.y + x.c * p.z};
    p = {y.c * p.x + y.s * p.z, p.y, -y.s * p.x + y.c * p.z};
    p = {z.c * p.x - z.s * p.y, z.s * p.x + z.c * p.y, p.z};
    return p + translation_m;
  };
  if (copies == 0) {
    for (std::size_t i = first; i < segments_.size(); ++i) {
      Segment& segment = segments_[i];
      segment.start_m = map(segment.start_m);
      segment.end_m = map(segment.end_m);
      segment.tag = grown_tag(segment.tag, tag_increment);
      check_segment(segment, i + 1);
    }
    const bool tilts = std::abs(rotation_deg.x) + std::abs(rotation_deg.y) > 1e-10;
    if (first > 0) cell_segments_ = 0;
    if (tilts && std::abs(symmetry_flag_) <= 2) symmetry_flag_ *= 3;
    return;
  }
  grow(product(copies, count));
  cell_segments_ = 0;
  append_images(first, count, static_cast<std::size_t>(copies), tag_increment, map);
}

void Structure::reflect(int tag_increment, bool x, bool y, bool z) {
  const std::size_t cell = segments_.size();
  std::int64_t increment = tag_increment;
  for (const char axis : {'z', 'y', 'x'}) {
    if (!(axis == 'x' ? x : axis == 'y' ? y : z)) continue;
    const std::size_t count = segments_.size();
    for (std::size_t i = 0; i < count; ++i) check_reflection(segments_[i], axis, i + 1);
    grow(static_cast<std::int64_t>(count));
    append_images(0, count, 1, increment, [&](Vec3 p) { return mirrored(p, axis); });
    increment *= 2;
  }
  cell_segments_ = x || y || z ? cell : 0;
  symmetry_flag_ = z ? 2 : 1;
}

void Structure::rotate(int tag_increment, std::int64_t copies) {
  check_copies(copies, 1);
  const std::size_t count = segments_.size();
  if (count == 0) return;
  grow(product(copies - 1, count));
  for (std::int64_t copy = 1; copy < copies; ++copy) {
    // From the original each time, so that rounding does not add up around the ring.
    const Turn turn(360.0 * double(copy) / double(copies));
    append_images(0, count, 1, tag_increment * copy, [&](Vec3 p) {
      return Vec3{turn.c * p.x - turn.s * p.y, turn.s * p.x + turn.c * p.y, p.z};
    });
  }
  cell_segments_ = count;
  symmetry_flag_ = -1;
}

void Structure::scale(double factor) {
  if (!(factor > 0) || !std::isfinite(factor)) {
    refuse(fmt::format("scale factor must be positive (got {})", factor));
  }
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    Segment& segment = segments_[i];
    segment.start_m = factor * segment.start_m;
    segment.end_m = factor * segment.end_m;
    segment.radius_m *= factor;
    check_segment(segment, i + 1);
  }
}

Symmetry Structure::symmetry(bool ground_plane) const {
  Symmetry result{segments_.size(), 0};
  if (cell_segments_ == 0) return result;
  std::size_t cell = cell_segments_;
  if (ground_plane && symmetry_flag_ == 2) cell *= 2;  // its first reflection was in z
  if (ground_plane && std::abs(symmetry_flag_) > 2) cell = segments_.size();
  if (cell < segments_.size()) result = {cell, symmetry_flag_};
  return result;
}

}  // namespace thinwire
