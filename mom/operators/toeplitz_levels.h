#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/matrix/matrix_update.h"
#include "mom/operators/lattice_basis.h"

namespace thinwire {

/// The preconditioner of equal antennas on a lattice, for CPU and GPU: every antenna's
/// inverted block, with its loads, and one current mode an antenna, p, the largest
/// singular vector of the inverted block, through which the antennas see each other:
///
///     M = B^-1 + P (C^-1 - 1 / c_0) P^T,
///
/// C the circulant that is nearest, in the Frobenius norm, to the Toeplitz matrix c(s -
/// t) = p^T Z_st p of the whole lattice (T. Chan 1988), places without an antenna masked.
/// M is complex symmetric.
struct ToeplitzBlocks {
  /// own_block: [n * n]. loads: of all unknowns. Throws Error{numeric} for a block that
  /// is singular or not finite.
  ToeplitzBlocks(const LatticeBasis& basis, std::span<const Complex> own_block,
                 std::span<const MatrixUpdate> loads);

  /// Antennas with the same loads have the same inverse, symmetric; [n * n] each.
  std::vector<std::vector<Complex>> inverses;
  std::vector<std::uint32_t> inverse_of;  ///< of each antenna
  /// p of the loads that most antennas have, and what these add to c(0).
  std::vector<Complex> mode;
  Complex load_of_mode;
};

/// (C^-1 - 1 / c_0) in the space of wave vectors, over the number of places:
/// [places]. c: the coarse matrix of the displacements, at their points of the array
/// [lengths], wrapped around.
std::vector<Complex> circulant_correction(std::array<std::size_t, 3> places,
                                          std::array<std::size_t, 3> lengths,
                                          std::span<const Complex> c);

}  // namespace thinwire
