#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/matrix/packed_tiles.h"

namespace thinwire {

/// A matrix in tiles at the nodes of an interpolation. All nodes of a line, which is a
/// row of a tile, lie together, so that what makes an entry is read in one stream.
class LineTable {
 public:
  static constexpr std::size_t line_entries = PackedTiles::tile;

  LineTable() = default;
  LineTable(PackedTiles layout, std::size_t nodes)
      : nodes_(nodes), numbers_(2 * layout.entries() * nodes) {}

  std::size_t nodes() const { return nodes_; }
  std::size_t bytes() const { return numbers_.size() * sizeof(double); }

  /// The numbers of a line at a node: [2 line_entries], real and imaginary by turns. Line
  /// r of tile t is t * tile + r.
  std::span<double> at(std::size_t line, std::size_t node) {
    return {&numbers_[(line * nodes_ + node) * 2 * line_entries], 2 * line_entries};
  }

  /// out = sum_n weight[n] at(line, n); weight: [nodes], out: [2 line_entries].
  void interpolate(std::size_t line, std::span<const double> weight, double* out) const;
  /// Interpolates for four sets of weights, with the same bits: the table, whose reading
  /// takes most of the time, is read once for all.
  static constexpr std::size_t at_once = 4;
  void interpolate(std::size_t line, const double* const weight[at_once],
                   double* const out[at_once]) const;

 private:
  std::size_t nodes_ = 0;
  std::vector<double> numbers_;
};

}  // namespace thinwire
