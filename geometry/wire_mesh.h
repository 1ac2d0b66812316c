#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/end_nodes.h"
#include "geometry/mesh_options.h"
#include "geometry/structure.h"
#include "kernels/base/large_vector.h"
#include "kernels/base/monitor.h"

namespace thinwire {

/// One end of a mesh element: end 0 is its start.
struct ElementEnd {
  std::uint32_t element = 0;
  std::uint8_t end = 0;
};

/// Ends that meet at one point, in the order of their elements. On a ground a node may
/// also be connected to its image.
struct Node {
  std::span<const ElementEnd> ends;
  bool grounded = false;
};

/// A piece of a NEC segment: the element of the mesh.
struct MeshElement {
  Vec3 start_m;
  Vec3 end_m;
  double radius_m = 0;
  std::uint32_t segment = 0;  ///< index into Structure::segments()
};

class SegmentCuts;

/// The elements that carry the basis, and how they are connected. A graded mesh halves
/// elements towards open ends and towards the edges of gaps, where the charge density
/// varies fastest, on the wire itself and on wires close beside it (mesh_grading.h);
/// where wires may lie below z = 0, also towards the points where they pass through it,
/// at which as-given meshes are cut, too. The segments keep their numbers.
class WireMesh {
 public:
  /// Throws Error{geometry} as join_ends (end_nodes.h) does, and for too many elements.
  /// Throws what the monitor does, too.
  WireMesh(const Structure& structure, const MeshOptions& options,
           const Monitor& monitor = {});

  const LargeVector<MeshElement>& elements() const { return elements_; }
  std::size_t node_count() const { return first_end_.size() - 1; }
  Node node(std::size_t n) const {
    return {{ends_.data() + first_end_[n], ends_.data() + first_end_[n + 1]},
            n < grounded_.size() && grounded_[n] != 0};
  }
  /// Node at an end of an element.
  std::size_t node_of(std::size_t element, int end) const {
    return node_of_[2 * element + end];
  }
  /// Elements first_element(s) .. first_element(s + 1) - 1 make up NEC segment s, in its
  /// direction.
  std::size_t first_element(std::size_t segment) const { return first_element_[segment]; }
  /// Segments in the place of earlier ones, ascending. Their elements carry no basis.
  std::span<const Duplicate> duplicates() const { return duplicates_; }
  /// How a segment is a duplicate; null where it is none.
  const Duplicate* duplicate(std::size_t segment) const;
  /// The segment that stands for a segment: the original of a duplicate.
  std::size_t original(std::size_t segment) const {
    const Duplicate* const found = duplicate(segment);
    return found ? found->original : segment;
  }

 private:
  void number_elements(const SegmentCuts& cuts, std::size_t segments);
  void make_elements(const Structure& structure, const EndNodes& nodes,
                     const SegmentCuts& cuts);
  void list_ends(const EndNodes& nodes);

  LargeVector<MeshElement> elements_;
  LargeVector<std::uint32_t> node_of_;      ///< [2 elements]
  LargeVector<std::size_t> first_element_;  ///< [segments + 1]
  // The segments' own nodes come first, then those within segments, in their order.
  LargeVector<ElementEnd> ends_;        ///< of node 0, node 1, ...
  LargeVector<std::size_t> first_end_;  ///< [nodes + 1]
  LargeVector<char> grounded_;          ///< of the segments' own nodes
  std::vector<Duplicate> duplicates_;
};

}  // namespace thinwire
