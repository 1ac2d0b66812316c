#pragma once

#include <vector>

#include "cg/precondition/entry_reader.h"
#include "kernels/base/monitor.h"
#include "kernels/element/medium.h"
#include "mom/preconditioners/coarse_space.h"
#include "mom/preconditioners/lumped_currents.h"
#include "mom/preconditioners/near_functions.h"

namespace thinwire {

/// Accuracy of a coarse matrix.
struct CoarseMatrixRule {
  double spacing_m = 0;  ///< of the lattice to which far currents are lumped
  double near_m = 0;     ///< entries of functions whose middles are closer are exact

  /// Lumps whole cells apart, about a quarter of a cluster; exact within one cluster, or
  /// two where lumps are more than a third of a cluster apart.
  static CoarseMatrixRule of(double cluster_edge_m, double cell_m);
};

/// Data of the structure that a coarse matrix is made of, at one wave number.
struct CoarseCouplings {
  double floor_m;  ///< distance of lumps at one node: of wires about so far apart
  LumpedCurrents lumps;
  NearFunctions near;

  CoarseCouplings(const Discretization& where, const CoarseSpace& space,
                  const CoarseMatrixRule& rule, double k_rad_per_m)
      : floor_m(rule.spacing_m / 3),
        lumps(lumped_currents(where, space, rule.spacing_m, k_rad_per_m)),
        near(where, space, rule.near_m) {}
};

/// Returns P^T Z P, symmetric, [space.size()][space.size()], close enough for a
/// preconditioner, without a product with Z for each function:
///
///   near functions   Z's own entries between their clusters; also of functions that
///                    share a cluster
///   others           currents and charges lumped at the nodes of a cubic lattice, by
///                    trilinear weights, which keep every charge's dipole moment, with
///                    e^{-jkR}/R between nodes and their images in a perfect ground:
///                    entries are 1 to 3 % off
///
/// read: entries of Z with loads. Throws what `read` and the monitor throw.
std::vector<Complex> coarse_matrix(const CoarseSpace& space,
                                   const CoarseCouplings& couplings, double k_rad_per_m,
                                   Medium medium, const EntryReader& read,
                                   const Monitor& monitor = {});

}  // namespace thinwire
