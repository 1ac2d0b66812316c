#include "kernels/matrix/whole_matrix.h"

#include <algorithm>
#include <cstddef>

namespace thinwire {

std::vector<std::complex<double>> whole_matrix(
    PackedTiles layout, std::span<const std::complex<double>> tiles) {
  constexpr std::size_t tile = PackedTiles::tile;
  const std::size_t n = layout.n;
  std::vector<std::complex<double>> full(n * n);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t row = 0; row < layout.rows(); ++row)
    for (std::size_t column = 0; column <= row; ++column) {
      const std::complex<double>* from = &tiles[PackedTiles::tile_offset(row, column)];
      for (std::size_t i = 0; i < std::min(tile, n - row * tile); ++i)
        for (std::size_t j = 0; j < std::min(tile, n - column * tile); ++j) {
          const std::size_t m = row * tile + i, k = column * tile + j;
          full[k * n + m] = full[m * n + k] = from[i * tile + j];
        }
    }
  return full;
}

}  // namespace thinwire
