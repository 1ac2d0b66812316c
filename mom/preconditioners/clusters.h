#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/wire_mesh.h"

namespace thinwire {

/// A partition of the nodes of a mesh into connected clusters, the cells of a coarse
/// space (coarse_space.h).
struct NodeClusters {
  std::vector<std::uint32_t> cluster;  ///< [nodes]
  std::size_t count = 0;
  /// Pairs of clusters that an element joins, the lower number first, rising.
  std::vector<std::array<std::uint32_t, 2>> joined;
  /// Clusters with an element within them and a node on a perfect ground, rising.
  std::vector<std::uint32_t> grounded;
};

/// Sorts the nodes into cubes of about `edge_m`, as many along each axis as fill the
/// structure. Nodes of a cube that no wire within it connects are separate clusters. A
/// cluster with less than 0.3 of the median length of wire is merged with the neighbour
/// that most wires lead to, so that no slivers are left where cubes cut a surface.
NodeClusters cluster_nodes(const WireMesh& mesh, double edge_m);

}  // namespace thinwire
