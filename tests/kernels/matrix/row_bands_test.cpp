#include "kernels/matrix/row_bands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace thinwire {
namespace {

using Complex = std::complex<double>;

/// Z_ij = Z_ji = (i, j), i >= j; what pads the tiles is poisoned, and so is the upper
/// triangle of diagonal tiles.
std::vector<Complex> tiles_of(PackedTiles layout) {
  std::vector<Complex> tiles(layout.entries(), {-1, -1});
  for (std::size_t i = 0; i < layout.n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      tiles[PackedTiles::offset(i, j)] = {static_cast<double>(i), static_cast<double>(j)};
  return tiles;
}

TEST(RowBands, AreTheWholeMatrixInOrder) {
  for (const std::size_t n : {1, 31, 63, 64, 65, 257, 1000}) {
    SCOPED_TRACE(n);
    const PackedTiles layout{n};
    const std::vector<Complex> tiles = tiles_of(layout);
    std::size_t row = 0, bands = 0, wrong = 0;
    gather_rows(layout, tiles, [&](std::size_t of, std::size_t first, auto rows) {
      ASSERT_EQ(of, n);
      ASSERT_EQ(first, row);
      ASSERT_EQ(rows.size(), std::min<std::size_t>(64, n - row) * n);
      ++bands;
      for (std::size_t e = 0; e < rows.size(); ++e) {
        const std::size_t i = row + e / n, j = e % n;
        wrong += rows[e] != Complex(static_cast<double>(std::max(i, j)),
                                    static_cast<double>(std::min(i, j)));
      }
      row += rows.size() / n;
    });
    EXPECT_EQ(row, n);
    EXPECT_EQ(bands, layout.rows());
    EXPECT_EQ(wrong, 0u);
    const std::vector<Complex> whole =
        collect_rows([&](const TakeRows& take) { gather_rows(layout, tiles, take); });
    ASSERT_EQ(whole.size(), n * n);
    EXPECT_EQ(whole[n - 1], Complex(static_cast<double>(n - 1), 0));
  }
}

TEST(RowBands, TilesOfABandAscendAndAreItsRowAndColumn) {
  const PackedTiles layout{700};
  for (std::size_t band = 0; band < layout.rows(); ++band)
    for (std::size_t k = 0; k < layout.rows(); ++k) {
      const auto at = PackedTiles::tile_at(tile_of_band(band, k));
      EXPECT_EQ(at.row, std::max(band, k));
      EXPECT_EQ(at.column, std::min(band, k));
      if (k > 0) {
        EXPECT_GT(tile_of_band(band, k), tile_of_band(band, k - 1));
      }
    }
}

}  // namespace
}  // namespace thinwire
