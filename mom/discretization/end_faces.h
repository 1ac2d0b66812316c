#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/element/element.h"
#include "kernels/element/medium.h"
#include "mom/discretization/basis.h"

namespace thinwire {

/// Addition to the matrix by the charges on flat end faces, for uniform charges of 1 C/m
/// on two elements, q <= p: times eta / (2 pi j k) the impedance of their potential.
struct EndFaceForm {
  std::uint32_t p, q;
  double value_m;
  double radius_m;  ///< of the largest face
};

/// Computes the effect of the charges on the flat faces at which thick wires end at
/// thinner ones in line with them, by a factor of 1.5 in radius or more. Smaller steps
/// down to 1.2, and angles of 1 to 5 degrees, count in part. A tube has no
/// face, which leaves out much of the capacitance where two faces are close to each
/// other, at the feed of a thick dipole (docs/theory/method.md).
///
/// A face is an annulus in rings, each of uniform charge. What flows into a ring comes
/// from the first element of the thick wire, whose potential it therefore has:
///
///     P u + B q = 0,    P_uv = <u - e_u, v - e_v>,    B_up = <u - e_u, p>,
///
/// <,> being the mean of 1/R over two charge distributions, u a ring, e_u that element
/// and p an element of charge q. Without the u, q have the additional energy -q B^T P^-1
/// B q / 2. Elements farther away than ten radii, and those that are not in line, are
/// left out. Over perfect ground vertical wires have their images.
std::vector<EndFaceForm> end_face_forms(std::span<const Element> elements,
                                        const Basis& basis, Medium medium);

}  // namespace thinwire
