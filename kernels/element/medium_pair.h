#pragma once

#include "kernels/base/complex.h"
#include "kernels/element/element.h"

namespace thinwire {

/// How currents act on each other in a medium: the wave number there, and what the two
/// parts of the mixed potential are multiplied with, beside what they are with the wave
/// number of the shape functions. In a medium of relative permittivity eps: k sqrt(eps),
/// 1 and 1/eps.
struct PairWave {
  HdComplex k_rad_per_m;  ///< Im <= 0
  HdComplex vector, scalar;
};

/// Mutual impedances, ohm, of the shape functions of two elements in a medium; k is the
/// real wave number of the shape functions, not that of the medium:
///   z[i][j] = (j k eta0 / 4 pi) [vector (t_p . t_q) II u_i u_j G ds ds'
///                                - (scalar / k^2) II u_i' u_j' G ds ds'],
/// G being the mean of e^{-j k2 R}/R, k2 = wave.k_rad_per_m, that near_pair.h describes.
///
/// For all pairs, near or far. Needs 0 < k length < pi, positive radii and unit tangents.
/// Errors against adaptive quadrature relative to the largest entry, for |k2| length up
/// to 7 and |k2| radius up to 0.5: 1e-8 parallel, 1e-6 otherwise. Longer elements are cut
/// into pieces of that length: they take longer. Exchanging p and q transposes to the
/// last bit. Host only.
ElementMatrix pair_in_medium(const Element& p, const Element& q, double k_rad_per_m,
                             const PairWave& wave, GreensKernel kernel);

}  // namespace thinwire
