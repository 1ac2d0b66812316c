#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "kernels/base/grouped.h"
#include "mom/discretization/discretization.h"
#include "mom/preconditioners/coarse_space.h"

namespace thinwire {

/// A part of the entry of two coarse functions: what one has in a cluster with what the
/// other has in a second one, whose number is not above.
struct NearTerm {
  std::uint32_t row_cluster, column_cluster, column, row;  ///< of coarse functions
  std::uint32_t pair;  ///< of near functions that it is a part of

  auto block() const { return std::tuple(row_cluster, column_cluster); }
  auto order() const {
    return std::tuple(row_cluster, column_cluster, column, row, pair);
  }
};

/// Pairs of coarse functions whose coupling is computed from entries of Z, cluster by
/// cluster: those whose middles are near, and those that share a cluster.
struct NearFunctions {
  std::vector<std::array<std::uint32_t, 2>> pairs;  ///< the first not above the second
  std::vector<NearTerm> terms;                      ///< in the order of their blocks
  std::vector<std::size_t> block;  ///< [pairs of clusters + 1] into terms

  NearFunctions(const Discretization& where, const CoarseSpace& space, double near_m);
  std::size_t blocks() const { return block.size() - 1; }
};

/// The basis functions of each cluster, and where each stands in its own.
struct ClusterFunctions {
  Grouped of_cluster;
  std::vector<std::uint32_t> place;  ///< [basis functions]

  explicit ClusterFunctions(const CoarseSpace& space);
};

}  // namespace thinwire
