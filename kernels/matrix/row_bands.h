#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "kernels/matrix/packed_tiles.h"

// A symmetric matrix in tiles, handed over as whole rows some at a time: for files, where
// the whole matrix would need twice the memory of its tiles.
namespace thinwire {

/// Takes rows of a matrix, [some][n], whole, from row `first` on; those of later calls
/// are further down. They live as long as the call.
using TakeRows = std::function<void(std::size_t n, std::size_t first,
                                    std::span<const std::complex<double>> rows)>;

/// The tiles in which rows 64 band .. 64 band + 63 of the whole matrix lie, layout.rows()
/// of them: those of that row of tiles, and below its last one those of its column.
///
///                  [ ]
///                  [ ][ ]
///     band 2 -->   [0][1][2]         numbers ascend as k does
///                  [ ][ ][3][ ]
///                  [ ][ ][4][ ][ ]
inline std::size_t tile_of_band(std::size_t band, std::size_t k) {
  return k <= band ? PackedTiles::tile_number(band, k)
                   : PackedTiles::tile_number(k, band);
}

/// Writes the rows of a band, [min(64, n - 64 band)][n]; tiles: where each of
/// tile_of_band() is.
void write_band(PackedTiles layout, std::size_t band,
                std::span<const std::complex<double>* const> tiles,
                std::vector<std::complex<double>>& rows);

/// All rows of the matrix in these tiles, a band at a time.
void gather_rows(PackedTiles layout, std::span<const std::complex<double>> tiles,
                 const TakeRows& take);

/// The whole matrix, [n][n], that hand(take) hands over; empty where it hands none.
template <class Hand>
std::vector<std::complex<double>> collect_rows(const Hand& hand) {
  std::vector<std::complex<double>> whole;
  hand(TakeRows(
      [&](std::size_t n, std::size_t, std::span<const std::complex<double>> rows) {
        whole.reserve(n * n);
        whole.insert(whole.end(), rows.begin(), rows.end());
      }));
  return whole;
}

}  // namespace thinwire
