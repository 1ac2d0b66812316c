#pragma once

#include <span>

#include "kernels/hd_complex.h"
#include "kernels/packed_tiles.h"

namespace thinwire {

/// y = Z x, Z complex symmetric (Z = Z^T, NOT Hermitian): nothing is conjugated.
/// z: lower triangle in 64 x 64 tiles, see packed_tiles.h. x, y: [n], may not alias.
/// 8 n^2 flop; reads z once: 8 n (n + 64) bytes in complex double. The order of the sums
/// depends on n alone, so that the bits do not depend on the number of threads.
void symv(PackedTiles layout, std::span<const Complex> z, std::span<const Complex> x,
          std::span<Complex> y);

}  // namespace thinwire
