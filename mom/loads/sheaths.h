#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/matrix/matrix_update.h"
#include "mom/discretization/discretization.h"

namespace thinwire {

/// Insulation of an element.
struct Sheath {
  std::uint32_t element;
  double radius_m;
  /// Voltage per ampere per metre that flows off, for a sheath e times as thick as the
  /// wire.
  Complex elastance_ohm_m;
};

/// Returns what Z lacks where sheaths act on the charge at each point alone
/// (LoadModel), in no order and some entries in parts.
///
/// The polarisation charges of a sheath lie around the wire and around the sheath, so
/// that their potential extends along the wire by some radii (SheathKernel). Charges that
/// vary within less would have a negative potential without this. Distances are counted
/// along the wires: through bends, into all other wires of a junction in equal parts,
/// and into the image at a grounded end.
std::vector<MatrixUpdate> spread_sheaths(const Discretization& discretization,
                                         std::span<const Sheath> sheaths,
                                         double k_rad_per_m);

}  // namespace thinwire
