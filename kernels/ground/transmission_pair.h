#pragma once

#include "kernels/element/element.h"
#include "kernels/ground/transmission_table.h"

namespace thinwire {

/// The surface at one wave number, as integrals between an element above it and one below
/// see it.
struct TransmissionGroundAt {
  double k_rad_per_m = 0;
  Complex eps;                  ///< relative permittivity below z = 0
  TransmissionTableView table;  ///< of eps, for all places of the elements
};

/// The element matrix, ohm, of the kernels of transmission_table.h between the shape
/// functions of an element at z >= 0 and one at z <= 0. With that of e^{-jkR}/R for
/// currents and 2 / (eps + 1) times it for charges it is all there is between them.
/// Currents are on the axes here. z[i][j] is that of u_i above and u_j below.
///
/// In pieces of both that are halved until they are short against their distance from
/// each other. Error 1e-6 of the largest entry of the whole; the elements may touch on
/// the surface.
ElementMatrix transmission_pair(const Element& above, const Element& below,
                                const TransmissionGroundAt& ground);

}  // namespace thinwire
