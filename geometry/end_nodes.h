#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/mesh_options.h"
#include "geometry/structure.h"
#include "kernels/base/grouped.h"
#include "kernels/base/large_vector.h"
#include "kernels/base/monitor.h"

namespace thinwire {

/// A segment in the place of an earlier one, both ends to 1e-6 of its length: the same
/// piece of wire, and not a conductor of its own.
struct Duplicate {
  std::uint32_t segment = 0, original = 0;
  bool reversed = false;  ///< whether it leads from the original's end to its start
};

/// Where the segments' ends lie once those that touch are joined.
struct EndNodes {
  LargeVector<std::uint32_t> of_end;  ///< node of end e of segment s at 2 s + e
  // Position of each node, in order of appearance; a node lies where its first end does.
  LargeVector<Vec3> position;
  LargeVector<char> grounded;
  Grouped ends;
  /// Ascending. Their ends are nodes of their own, at which no other end is.
  std::vector<Duplicate> duplicates;

  std::size_t count() const { return position.size(); }
  Vec3 start_m(std::size_t segment) const { return position[of_end[2 * segment]]; }
  Vec3 end_m(std::size_t segment) const { return position[of_end[2 * segment + 1]]; }
};

/// Throws Error{geometry} for what has no meaning: zero length, radius <= 0, two segments
/// between the same points that are no duplicates, a segment in the surface of a ground
/// or whose own surface is, and below it where MeshOptions::wires_below is not set.
/// Throws what the monitor does.
EndNodes join_ends(const Structure& structure, const MeshOptions& options,
                   const Monitor& monitor = {});

}  // namespace thinwire
