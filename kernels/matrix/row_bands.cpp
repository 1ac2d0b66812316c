#include "kernels/matrix/row_bands.h"

#include <algorithm>

namespace thinwire {

void write_band(PackedTiles layout, std::size_t band,
                std::span<const std::complex<double>* const> tiles,
                std::vector<std::complex<double>>& rows) {
  constexpr std::size_t tile = PackedTiles::tile;
  const std::size_t n = layout.n, first = band * tile, height = std::min(tile, n - first);
  rows.resize(height * n);
#pragma omp parallel for
  for (std::size_t k = 0; k < layout.rows(); ++k) {
    const std::complex<double>* from = tiles[k];
    std::complex<double>* to = rows.data() + k * tile;
    const std::size_t width = std::min(tile, n - k * tile);
    for (std::size_t i = 0; i < height; ++i)
      for (std::size_t j = 0; j < width; ++j) {
        // A diagonal tile stores its lower triangle.
        const bool as_stored = k < band || (k == band && j <= i);
        to[i * n + j] = as_stored ? from[i * tile + j] : from[j * tile + i];
      }
  }
}

void gather_rows(PackedTiles layout, std::span<const std::complex<double>> tiles,
                 const TakeRows& take) {
  std::vector<const std::complex<double>*> of_band(layout.rows());
  std::vector<std::complex<double>> rows;
  for (std::size_t band = 0; band < layout.rows(); ++band) {
    for (std::size_t k = 0; k < of_band.size(); ++k)
      of_band[k] = &tiles[tile_of_band(band, k) * PackedTiles::tile_entries];
    write_band(layout, band, of_band, rows);
    take(layout.n, band * PackedTiles::tile, rows);
  }
}

}  // namespace thinwire
