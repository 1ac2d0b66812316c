#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thinwire {

/// How a structure is cut into elements.
struct MeshOptions {
  bool graded = true;  ///< false: every NEC segment is one element
  /// Ground at z = 0, perfect or real: wires must lie above it, but for wires_below.
  bool perfect_ground = false;
  /// Ends at z = 0 connect to their image where no wire goes on below.
  bool ground_contact = false;
  /// Wires may lie below z = 0, too; no element lies on both sides of it.
  bool wires_below = false;
  /// Elements are no longer, on any mesh; 0: no limit.
  double longest_m = 0;
  /// Elements below z = 0 are no longer where the mesh is graded; 0: no limit.
  double longest_below_m = 0;
  /// Elements shorter than this many radii are not halved.
  double finest_per_radius = 0;
  /// Segments that carry a source or a lumped load: the field jumps at their two edges,
  /// so the mesh is graded towards both.
  std::vector<std::size_t> gap_segments;
  /// True grades the mesh towards sharp bends of thick wires, too.
  bool bends = false;
  /// Group of each segment, from 0. The segments of a group are cut alike where the mesh
  /// is graded; empty: each by itself. Equal antennas get equal meshes in this way.
  std::vector<std::uint32_t> cut_alike;

  /// Equal pieces that each element is cut into at last: 1, 2, 4, ... The meshes of these
  /// lie within each other.
  int refinement = 1;

  bool operator==(const MeshOptions&) const = default;
};

}  // namespace thinwire
