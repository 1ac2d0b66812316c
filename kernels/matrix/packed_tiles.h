#pragma once

#include <cmath>
#include <cstddef>

#include "kernels/base/host_device.h"

namespace thinwire {

/// Where the entries of a complex-symmetric n x n matrix lie: the lower triangle as
/// square tiles, tile after tile, row by row of tiles; diagonal tiles are stored whole;
/// entries row-major in a tile.
///
///     tile row 0   [0]
///     tile row 1   [1][2]
///     tile row 2   [3][4][5]          tile (I, J), J <= I, is number I (I + 1) / 2 + J
///
/// n is padded with zero rows and columns to a whole number of tiles, so that no kernel
/// has an edge.
struct PackedTiles {
  static constexpr std::size_t tile = 64;
  static constexpr std::size_t tile_entries = tile * tile;

  std::size_t n = 0;

  THINWIRE_HD std::size_t rows() const { return (n + tile - 1) / tile; }
  THINWIRE_HD std::size_t padded() const { return rows() * tile; }
  THINWIRE_HD std::size_t tiles() const { return rows() * (rows() + 1) / 2; }
  THINWIRE_HD std::size_t entries() const { return tiles() * tile_entries; }
  /// Number of tile (row, column), column <= row, and the tile of a number.
  THINWIRE_HD static std::size_t tile_number(std::size_t row, std::size_t column) {
    return row * (row + 1) / 2 + column;
  }
  struct TileAt {
    std::size_t row, column;
  };
  THINWIRE_HD static TileAt tile_at(std::size_t number) {
    auto row = static_cast<std::size_t>(
        (std::sqrt(8.0 * static_cast<double>(number) + 1) - 1) / 2);
    // The root is rounded.
    while (tile_number(row, 0) > number) --row;
    while (tile_number(row + 1, 0) <= number) ++row;
    return {row, number - tile_number(row, 0)};
  }
  /// Offset of the first entry of tile (row, column), column <= row.
  THINWIRE_HD static std::size_t tile_offset(std::size_t row, std::size_t column) {
    return tile_number(row, column) * tile_entries;
  }
  /// Offset of entry (i, j) of the matrix; i and j in any order.
  THINWIRE_HD static std::size_t offset(std::size_t i, std::size_t j) {
    const std::size_t row = i > j ? i : j, column = i > j ? j : i;
    return tile_offset(row / tile, column / tile) + (row % tile) * tile + column % tile;
  }
};

}  // namespace thinwire
