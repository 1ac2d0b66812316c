#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/base/large_vector.h"
#include "kernels/base/vec3.h"

namespace thinwire {

/// One NEC segment: a straight piece of round wire, current counted positive from start
/// to end.
struct Segment {
  Vec3 start_m;
  Vec3 end_m;
  double radius_m = 0;
  int tag = 0;
};

/// The symmetry that NEC-2 assumes of a structure: LD cards on segments of its first cell
/// hold for the corresponding segments of the other cells too (NEC-2 user's guide, card
/// LD).
struct Symmetry {
  std::size_t cell_segments = 0;  ///< all segments where there is no symmetry
  int flag = 0;  ///< NEC's symmetry flag: 0 none, 1 and 2 planes, negative rotation
};

/// The antenna's geometry: segments in NEC's order, built by the operations of the
/// geometry cards (NEC-2 user's guide, part III). Every operation acts on all that was
/// added before it. Angles are in degrees here, as on the cards.
/// All functions throw Error{geometry} with a text that starts with the offending
/// quantity; the deck reader puts file and line in front. After an Error the structure is
/// as it was before the call, except that move, reflect, rotate and scale may have been
/// done in part.
class Structure {
 public:
  /// Most segments a structure may hold; a count beyond it is refused before memory is
  /// taken.
  static constexpr std::int64_t max_segments = (std::int64_t{1} << 31) - 1;
  /// Largest coordinate and smallest length and radius, m: far beyond any antenna, and
  /// far enough from the ends of the number range that fourth powers stay inside it.
  static constexpr double max_coordinate_m = 1e30;
  static constexpr double min_length_m = 1e-30;

  /// `segment_limit`: refuse to grow beyond so many segments.
  explicit Structure(std::int64_t segment_limit = max_segments);

  /// GW: `count` equal segments from start to end.
  void add_wire(int tag, std::int64_t count, Vec3 start_m, Vec3 end_m, double radius_m);

  /// GW with radius 0 followed by GC: each segment `length_ratio` times as long as the
  /// one before, radii in geometric progression from first_radius_m to last_radius_m.
  void add_tapered_wire(int tag, std::int64_t count, Vec3 start_m, Vec3 end_m,
                        double length_ratio, double first_radius_m, double last_radius_m);

  /// GA: arc in the xz plane about the y axis, from angle start_deg to end_deg measured
  /// from the x axis (left-hand about y), of radius arc_radius_m; at most one turn.
  void add_arc(int tag, std::int64_t count, double arc_radius_m, double start_deg,
               double end_deg, double wire_radius_m);

  /// GH: helix or spiral around the z axis from z = 0 to |length_m|, turning from x to y;
  /// it starts on the x axis. A negative length exchanges x and y, which makes it left
  /// handed (and starts it on the y axis). The x and y radii go linearly from their start
  /// to their end values. As in NEC-2 a zero end y radius stands for the end x radius
  /// and, where both x radii are equal, a zero start y radius for the x radius.
  void add_helix(int tag, std::int64_t count, double turn_spacing_m, double length_m,
                 double start_x_radius_m, double start_y_radius_m, double end_x_radius_m,
                 double end_y_radius_m, double wire_radius_m);

  /// GM: rotate about x, then y, then z, then translate, the segments from the first one
  /// that carries tag `first_tag` (0: all) to the last. `copies` new structures are made,
  /// each from the one before; 0 moves the segments instead. The non-zero tags of what
  /// was moved or copied grow by tag_increment.
  void move(int tag_increment, std::int64_t copies, Vec3 rotation_deg, Vec3 translation_m,
            int first_tag);

  /// GX: reflect along x, y and z in the order z, y, x, as NEC does, doubling at each;
  /// non-zero tags of the reflected part grow by the increment, which is doubled after
  /// each reflection. Refuses segments that cross a plane of reflection or lie in it.
  /// Without any axis it only ends the symmetry.
  void reflect(int tag_increment, bool x, bool y, bool z);

  /// GR: `copies` structures around the z axis, the original included, the non-zero tags
  /// growing by tag_increment from one to the next.
  void rotate(int tag_increment, std::int64_t copies);

  /// GS: multiply every coordinate and radius by a positive factor.
  void scale(double factor);

  /// Raises ends of segments by a height. rises: [2 segments], of ends 0 and 1 of segment
  /// 0, of segment 1, ...
  void raise(double height_m, const std::vector<char>& rises);

  const LargeVector<Segment>& segments() const { return segments_; }

  /// Index of the `within_tag`-th (from 1) segment that carries `tag`; tag 0 counts all
  /// segments. Throws Error{deck} when there is none. Takes time in proportion to the
  /// number of segments: see TagIndex for many look-ups.
  std::size_t find(int tag, std::int64_t within_tag) const;

  /// The count, from 1, of the segment at `index` among those of its tag.
  std::int64_t within_tag(std::size_t index) const;

  /// Records the line of the deck of the segments from index `first` on, for messages.
  void set_origin(std::size_t first, std::string_view deck, int line);
  /// Returns the origin of a segment (yagi.nec:12); "geometry" where none was given.
  std::string origin(std::size_t segment) const;
  /// Returns the origin of a card that acts on the segment: the card's own line if it has
  /// one (not 0).
  std::string origin(std::size_t segment, int card_line) const;

  /// The symmetry left by the last GX or GR. `ground_plane`: whether GE specified one,
  /// which ends the symmetry about it.
  Symmetry symmetry(bool ground_plane) const;

 private:
  void grow(std::int64_t count);
  template <typename Node>
  void add_chain(int tag, std::int64_t count, double radius_m, Node node);
  template <typename Map>
  void append_images(std::size_t first, std::size_t count, std::size_t copies,
                     std::int64_t tag_increment, const Map& map);

  std::int64_t segment_limit_;
  LargeVector<Segment> segments_;
  /// Where segments come from: the first of those from one line, and the line.
  std::vector<std::pair<std::size_t, int>> origins_;
  std::string deck_;
  std::size_t cell_segments_ = 0;  ///< 0: no symmetry
  int symmetry_flag_ = 0;
};

}  // namespace thinwire
