#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/vec3.h"

namespace thinwire {

/// One NEC segment: a straight piece of round wire, current counted positive from start
/// to end.
struct Segment {
  Vec3 start_m;
  Vec3 end_m;
  double radius_m = 0;
  int tag = 0;
};

/// What the antenna is: the segments in the order NEC numbers them, built by the
/// operations of the geometry cards (NEC-2 user's guide, part III). Every operation acts
/// on all that was added before it. Angles are in degrees here, as on the cards.
///
/// All functions throw Error{geometry} with a text that starts with the offending
/// quantity; the deck reader puts file and line in front.
class Structure {
 public:
  /// Most segments a structure may hold; a count beyond it is refused before memory is
  /// taken.
  static constexpr std::int64_t max_segments = (std::int64_t{1} << 31) - 1;

  /// GW: `count` equal segments from start to end.
  void add_wire(int tag, std::int64_t count, Vec3 start_m, Vec3 end_m, double radius_m);

  /// GW with radius 0 followed by GC: each segment `length_ratio` times as long as the
  /// one before, radii in geometric progression from first_radius_m to last_radius_m.
  void add_tapered_wire(int tag, std::int64_t count, Vec3 start_m, Vec3 end_m,
                        double length_ratio, double first_radius_m, double last_radius_m);

  /// GA: arc in the xz plane about the y axis, from angle start_deg to end_deg measured
  /// from the x axis (left-hand about y), of radius arc_radius_m.
  void add_arc(int tag, std::int64_t count, double arc_radius_m, double start_deg,
               double end_deg, double wire_radius_m);

  /// GH: helix or flat spiral along z (see the guide for the sign and zero conventions).
  void add_helix(int tag, std::int64_t count, double turn_spacing_m, double length_m,
                 double start_x_radius_m, double start_y_radius_m, double end_x_radius_m,
                 double end_y_radius_m, double wire_radius_m);

  /// GM: rotate about x, then y, then z, then translate, the segments from the first one
  /// that carries tag `first_tag` (0: all) to the last; `copies` new structures, or a
  /// move when 0. Each copy's non-zero tags grow by tag_increment.
  void move(int tag_increment, std::int64_t copies, Vec3 rotation_deg, Vec3 translation_m,
            int first_tag);

  /// GX: reflect along x, y and z in the order z, y, x, as NEC does, doubling at each;
  /// tags of the reflected part grow by the increment (doubled after each reflection).
  void reflect(int tag_increment, bool x, bool y, bool z);

  /// GR: `copies` structures in all around the z axis, tags growing by tag_increment.
  void rotate(int tag_increment, std::int64_t copies);

  /// GS: multiply every coordinate and radius.
  void scale(double factor);

  const std::vector<Segment>& segments() const { return segments_; }

  /// Index of the `within_tag`-th (from 1) segment that carries `tag`; tag 0 counts all
  /// segments. Throws Error{deck} when there is none.
  std::size_t find(int tag, std::int64_t within_tag) const;

  /// The count, from 1, of the segment at `index` among those of its tag.
  std::int64_t within_tag(std::size_t index) const;

 private:
  std::vector<Segment> segments_;
};

}  // namespace thinwire
