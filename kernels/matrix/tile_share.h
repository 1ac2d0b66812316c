#pragma once

#include <algorithm>
#include <span>

#include "kernels/matrix/packed_tiles.h"

namespace thinwire {

/// Which tiles of a packed triangle one owner holds: numbers first .. last - 1, stored
/// from the first on. The fill takes a share, and so does the product on the CPU; that on
/// the GPU wants all tiles so far. What the shares of several owners give of y = Z x adds
/// up to it.
struct TileShare {
  std::size_t first = 0, last = 0;

  static TileShare whole(PackedTiles layout) { return {0, layout.tiles()}; }
  /// Part `index` of `count` parts that differ by one tile at most.
  static TileShare part(PackedTiles layout, std::size_t index, std::size_t count) {
    return {layout.tiles() * index / count, layout.tiles() * (index + 1) / count};
  }

  /// Part `index` of parts in proportion to weights that are not negative and not all 0:
  /// the rates of their owners.
  static TileShare part(PackedTiles layout, std::size_t index,
                        std::span<const double> weights) {
    double before = 0, all = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (i < index) before += weights[i];
      all += weights[i];
    }
    const auto bound = [&](double weight) {
      return static_cast<std::size_t>(static_cast<double>(layout.tiles()) * weight / all);
    };
    const bool is_last = index + 1 == weights.size();
    return {bound(before), is_last ? layout.tiles() : bound(before + weights[index])};
  }

  std::size_t size() const { return last - first; }
  std::size_t entries() const { return size() * PackedTiles::tile_entries; }
  bool is_whole(PackedTiles layout) const { return first == 0 && last == layout.tiles(); }

  THINWIRE_HD bool holds(std::size_t tile) const { return tile >= first && tile < last; }
  /// Offset of a tile's first entry among the entries of the share.
  THINWIRE_HD std::size_t offset(std::size_t tile) const {
    return (tile - first) * PackedTiles::tile_entries;
  }
  /// The columns first .. last - 1 of the share's tiles in a row; none: both are equal.
  TileShare columns_of(std::size_t row) const {
    const std::size_t start = PackedTiles::tile_number(row, 0), end = start + row + 1;
    const std::size_t from = std::clamp(first, start, end);
    return {from - start, std::max(std::clamp(last, start, end), from) - start};
  }
};

}  // namespace thinwire
