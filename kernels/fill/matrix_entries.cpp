#include "kernels/fill/matrix_entries.h"

#include <algorithm>
#include <vector>

#include "kernels/fill/tile_fill.h"

namespace thinwire {
namespace {

constexpr std::size_t tile = PackedTiles::tile;

std::vector<TileSide> sides_of(const FillInput& input,
                               std::span<const std::uint32_t> functions) {
  std::vector<TileSide> sides;
  for (std::size_t first = 0; first < functions.size(); first += tile)
    sides.push_back(
        make_tile_side(input.elements, input.basis,
                       functions.subspan(first, std::min(tile, functions.size() - first)),
                       input.k_rad_per_m));
  return sides;
}

}  // namespace

void read_entries(const FillInput& input, std::span<const std::uint32_t> rows,
                  std::span<const std::uint32_t> columns, std::span<Complex> entries) {
  const bool square =
      std::equal(rows.begin(), rows.end(), columns.begin(), columns.end());
  const std::vector<TileSide> row_sides = sides_of(input, rows);
  const std::vector<TileSide> column_sides =
      square ? row_sides : sides_of(input, columns);
  TileFill worker(input);
  std::vector<Complex> block(PackedTiles::tile_entries);
  for (std::size_t i = 0; i < row_sides.size(); ++i)
    for (std::size_t j = 0; j < (square ? i + 1 : column_sides.size()); ++j) {
      worker.fill(row_sides[i], column_sides[j], square && i == j, block.data());
      const std::size_t last_row = std::min(tile, rows.size() - i * tile),
                        last_column = std::min(tile, columns.size() - j * tile);
      for (std::size_t n = 0; n < last_column; ++n)
        for (std::size_t m = 0; m < last_row; ++m) {
          const std::size_t row = i * tile + m, column = j * tile + n;
          entries[row + column * rows.size()] = block[m * tile + n];
          if (square) entries[column + row * rows.size()] = block[m * tile + n];
        }
    }
}

}  // namespace thinwire
