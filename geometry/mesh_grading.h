#pragma once

#include <cstddef>
#include <vector>

#include "kernels/base/point_index.h"
#include "kernels/base/vec3.h"

namespace thinwire {

/// A point where the charge is steep: an open end, the edge of a gap across which the
/// field jumps, or a junction with a much shorter segment.
struct SteepPoint {
  Vec3 at_m;
  int halvings = 0;  ///< a segment there is halved as often, at most, towards the point
  double longer_than_m = 0;  ///< shorter segments stay whole
};

/// The steep points near some segments, where they are few.
struct NearSteepPoints {
  bool few = false;
  std::vector<std::size_t> numbers = {};  ///< none where they are many
};

/// Where segments are cut so that no element is longer than its distance from a steep
/// point, on whatever wire that lies: wires that run close beside the point carry its
/// mirror image. On the point's own wire the shortest element has length / 2^halvings of
/// the segment that it is cut from, on others length / 8; the radius does not matter.
class MeshGrading {
 public:
  /// Cuts nothing.
  MeshGrading() = default;
  /// finest_per_radius: elements shorter than this many radii are not halved.
  MeshGrading(std::vector<SteepPoint> points, double finest_per_radius);

  /// Finds the points that can matter to segments within a box, none of them longer than
  /// `longest_m`: one search for all.
  NearSteepPoints near(Vec3 low_m, Vec3 high_m, double longest_m) const;

  /// Inner cuts of the segment from `start_m` to `end_m`, ascending fractions of its
  /// length. No element gets longer than `longest_fraction` of the segment. looked_at:
  /// grows by the points that were looked at; null: not counted. near: those around
  /// segments with this one among them, which saves a search where they are few. Several
  /// threads may call at once. Takes time in proportion to the cuts, however many points
  /// are near.
  std::vector<double> cuts(Vec3 start_m, Vec3 end_m, double radius_m,
                           double longest_fraction, std::size_t* looked_at = nullptr,
                           const NearSteepPoints& near = {}) const;

 private:
  double finest_per_radius_ = 0;
  std::vector<SteepPoint> points_;
  PointIndex index_;  ///< of the points
};

}  // namespace thinwire
