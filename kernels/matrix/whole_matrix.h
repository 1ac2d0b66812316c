#pragma once

#include <complex>
#include <span>
#include <vector>

#include "kernels/matrix/packed_tiles.h"

namespace thinwire {

/// The whole symmetric matrix, column-major [n][n], of its triangle in tiles.
std::vector<std::complex<double>> whole_matrix(
    PackedTiles layout, std::span<const std::complex<double>> tiles);

}  // namespace thinwire
