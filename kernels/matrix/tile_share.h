#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/matrix/packed_tiles.h"

namespace thinwire {

/// Which tiles of a packed triangle one owner holds: numbers first .. last - 1, stored
/// from the first on. The fill and the products take a share, that on the GPU one of
/// whole rows of tiles. What the shares of several owners give of y = Z x adds up to it.
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

  /// The parts of all owners, in proportion to their weights as far as whole rows of
  /// tiles allow.
  static std::vector<TileShare> rows_by(PackedTiles layout,
                                        std::span<const double> weights) {
    std::vector<TileShare> shares;
    for (std::size_t owner = 0; owner < weights.size(); ++owner)
      shares.push_back(part(layout, owner, weights).in_whole_rows());
    return shares;
  }

  /// Rows first_row .. last_row - 1 of tiles.
  static TileShare of_rows(std::size_t first_row, std::size_t last_row) {
    return {PackedTiles::tile_number(first_row, 0),
            PackedTiles::tile_number(last_row, 0)};
  }

  std::size_t size() const { return last - first; }
  std::size_t entries() const { return size() * PackedTiles::tile_entries; }
  /// Returns the share with each end at the nearest row of tiles; the parts of a whole
  /// still make up the whole.
  TileShare in_whole_rows() const {
    return of_rows(nearest_row(first), nearest_row(last));
  }
  std::size_t first_row() const { return PackedTiles::tile_at(first).row; }
  std::size_t last_row() const { return PackedTiles::tile_at(last).row; }
  bool has_whole_rows() const {
    return PackedTiles::tile_at(first).column == 0 &&
           PackedTiles::tile_at(last).column == 0;
  }

  bool operator==(const TileShare&) const = default;

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

 private:
  static std::size_t nearest_row(std::size_t tile) {
    const PackedTiles::TileAt at = PackedTiles::tile_at(tile);
    return at.row + (2 * at.column > at.row ? 1 : 0);
  }
};

}  // namespace thinwire
