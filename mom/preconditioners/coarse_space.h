#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/spmv/csr.h"
#include "mom/discretization/discretization.h"
#include "mom/preconditioners/clusters.h"

namespace thinwire {

/// A coarse space of flows between clusters of nodes, the second level of overlapping
/// Schwarz (A. Toselli, O. Widlund, Domain Decomposition Methods, 2005, chapter 3).
///
/// Each coarse function is the current that leaves one cluster and enters another one
/// that a wire joins to it: of unit strength, its charge uniform along all wires of
/// either cluster, of least integral of |I|^2 over the wires between the nodes of both.
/// On square cells these are rooftops over patches. Kirchhoff's law holds at every node,
/// so that each is a sum of basis functions; and as no two of them cross the same pair of
/// clusters, they are linearly independent. Flows without current are left out. Where a
/// cluster has nodes on a perfect ground, one function more leads from it into the
/// ground.
struct CoarseSpace {
  /// R = P^T, [coarse functions][basis functions].
  Csr<double> restriction;
  /// P, [basis functions][coarse functions].
  Csr<double> prolongation;
  /// The clusters that each coarse function joins; no_cluster: the ground.
  std::vector<std::array<std::uint32_t, 2>> between;
  /// The cluster of each basis function: that of the node where its elements meet.
  std::vector<std::uint32_t> cluster_of_function;

  std::size_t size() const { return between.size(); }

  static constexpr std::uint32_t no_cluster = ~std::uint32_t{0};
};

/// Makes the flows between these clusters of the structure's mesh. Throws Error{numeric}
/// where an element has no length.
CoarseSpace coarse_space(const Discretization& where, const NodeClusters& clusters);

/// Returns how many flows there are at most, without making them.
std::size_t coarse_size(const NodeClusters& clusters);

/// Edge of the clusters: a sixth of a wavelength, at least two cells.
double cluster_edge_m(double k_rad_per_m, double cell_m);

}  // namespace thinwire
