#pragma once

#include "kernels/element/element.h"
#include "kernels/ground/ground_order.h"
#include "kernels/ground/ground_table.h"

namespace thinwire {

/// A real ground at one wave number, as element integrals see it.
struct GroundAt {
  double k_rad_per_m = 0;
  Complex eps;            ///< relative permittivity below z = 0
  GroundTableView table;  ///< of eps and the side, for all distances of the elements
  GroundSide side = GroundSide::above;
};

inline GroundWaves waves_of(const GroundAt& ground) {
  return GroundWaves::of(ground.k_rad_per_m, ground.eps, ground.side);
}

/// Computes the reflection of the ground from the shape functions of q to those of p (z
/// >= 0) beside its image: the element matrix, ohm, of the kernels of ground_table.h.
/// Together with -C0 times the matrix of p's image and q it is the whole contribution of
/// the ground (half_space.h). Currents are on the axes here; the image has the tubes.
///
/// Elements below the surface are handed in mirrored in z = 0, with a table and a ground
/// of that side: the rest beside the image of ground_table.h there.
///
/// Elements that are far from each other's image, as the wave in the ground counts, by
/// the product of two Gauss rules. Nearer ones: if both are vertical
/// or horizontal and parallel, by one integral over the offset, graded towards the image;
/// else in pieces that are halved until they are short against their distance from the
/// image. Exchanging p and q transposes to the last bit. Error 1e-6 of the largest entry
/// of what the ground adds, heights 1e-6 to 1 wavelengths and ends on the ground.
ElementMatrix ground_pair(const Element& p, const Element& q, const GroundAt& ground);

}  // namespace thinwire
