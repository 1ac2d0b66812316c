#pragma once

#include <cstddef>
#include <cstdint>

#include "geometry/mesh_options.h"
#include "geometry/structure.h"
#include "kernels/base/grouped.h"
#include "kernels/base/large_vector.h"
#include "kernels/base/monitor.h"

namespace thinwire {

/// Where the segments' ends lie once those that touch are joined.
struct EndNodes {
  LargeVector<std::uint32_t> of_end;  ///< node of end e of segment s at 2 s + e
  // Position of each node, in order of appearance; a node lies where its first end does.
  LargeVector<Vec3> position;
  LargeVector<char> grounded;
  Grouped ends;

  std::size_t count() const { return position.size(); }
  Vec3 start_m(std::size_t segment) const { return position[of_end[2 * segment]]; }
  Vec3 end_m(std::size_t segment) const { return position[of_end[2 * segment + 1]]; }
};

/// Throws Error{geometry} for what has no meaning: zero length, radius <= 0, two
/// identical segments, a segment in the surface of a ground or whose own surface is, and
/// below it where MeshOptions::wires_below is not set. Throws what the monitor does.
EndNodes join_ends(const Structure& structure, const MeshOptions& options,
                   const Monitor& monitor = {});

}  // namespace thinwire
