#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "papers/assembly/hexahedron.h"

namespace thinwire {

/// Hexahedra, of any connection. At most 2^29 elements.
struct HexahedralMesh {
  std::vector<Vec3> node;  ///< positions
  /// Nodes at the corners, in the order of hexahedron.h.
  std::vector<std::array<std::uint32_t, 8>> element;

  std::size_t nodes() const { return node.size(); }
  std::size_t elements() const { return element.size(); }
};

/// A body to assemble the stiffness matrix of.
struct ElasticBody {
  HexahedralMesh mesh;
  Elasticity material;
};

/// Cubes of side 1, side^3 of them; nodes and elements x fastest. side >= 1.
HexahedralMesh cube_mesh(std::size_t side);

/// The sample of Ohshima et al. 2011, who give no material: E = 1, nu = 0.3. To be held
/// at z = 0.
ElasticBody elastic_cube(std::size_t side);
/// [nodes] Which nodes are at z = 0.
std::vector<char> held_at_bottom(const HexahedralMesh& mesh);

/// [nodes] The forces of a unit pull along z on all of the plane z = top.
std::vector<Vec3> pull_on_top(const HexahedralMesh& mesh, double top);

/// At which elements a node is.
struct NodeElements {
  std::vector<std::int64_t> first;   ///< [nodes + 1]
  std::vector<std::uint32_t> place;  ///< 8 * element + corner, rising for each node
};
NodeElements node_elements(const HexahedralMesh& mesh);

/// Elements by colours: those of a colour share no node.
struct Colouring {
  std::vector<std::uint32_t> element;  ///< of colour c: [first[c]] .. [first[c + 1] - 1]
  std::vector<std::size_t> first;      ///< [colours + 1]

  std::size_t colours() const { return first.size() - 1; }
};

/// Greedy: each element in turn gets the first colour that no neighbour has and that has
/// room, ceil(elements / colours) elements being the most of a colour. There are more
/// colours than asked for where neighbours need them. colours >= 1.
Colouring colour_elements(const HexahedralMesh& mesh, const NodeElements& at_node,
                          std::size_t colours);

}  // namespace thinwire
