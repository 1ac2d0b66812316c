#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/structure.h"

namespace thinwire {

/// One end of a mesh element: end 0 is its start.
struct ElementEnd {
  std::uint32_t element = 0;
  std::uint8_t end = 0;
};

/// Ends that meet at one point. On a perfect ground the node is also connected to its
/// image.
struct Node {
  std::vector<ElementEnd> ends;
  bool grounded = false;
};

/// A piece of a NEC segment: the element of the mesh.
struct MeshElement {
  Vec3 start_m;
  Vec3 end_m;
  double radius_m = 0;
  std::uint32_t segment = 0;  ///< index into Structure::segments()
};

/// How a structure is cut into elements.
struct MeshOptions {
  bool graded = true;           ///< false: every NEC segment is one element
  bool perfect_ground = false;  ///< at z = 0: wires must lie above it
  bool ground_contact = false;  ///< ends at z = 0 connect to their image
  /// Elements shorter than this many radii are not halved.
  double finest_per_radius = 0;
  /// Segments that carry a source or a lumped load: the field jumps at their two edges,
  /// so the mesh is graded towards both.
  std::vector<std::size_t> gap_segments;
  /// Of each segment the group, from 0, whose segments are all cut alike where the mesh
  /// is graded; empty: each by itself. For equal antennas that are to have equal meshes.
  std::vector<std::uint32_t> cut_alike;

  bool operator==(const MeshOptions&) const = default;
};

/// The elements that carry the basis, and how they are connected. A graded mesh halves
/// elements towards open ends and towards the edges of gaps, where the charge density
/// varies fastest, on the wire itself and on wires close beside it (mesh_grading.h); the
/// segments keep their numbers.
class WireMesh {
 public:
  /// Throws Error{geometry} for what has no meaning: zero length, radius <= 0, two
  /// identical segments, a segment below or in a perfect ground or whose surface is.
  WireMesh(const Structure& structure, const MeshOptions& options);

  const std::vector<MeshElement>& elements() const { return elements_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  /// Node at an end of an element.
  std::size_t node_of(std::size_t element, int end) const {
    return node_of_[2 * element + end];
  }
  /// Elements first_element(s) .. first_element(s + 1) - 1 make up NEC segment s, in its
  /// direction.
  std::size_t first_element(std::size_t segment) const { return first_element_[segment]; }

 private:
  std::vector<MeshElement> elements_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> node_of_;
  std::vector<std::size_t> first_element_;
};

}  // namespace thinwire
