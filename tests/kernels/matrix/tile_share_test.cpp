#include "kernels/matrix/tile_share.h"

#include <gtest/gtest.h>

#include <vector>

namespace thinwire {
namespace {

TEST(PackedTiles, NumbersAndTilesAreEachOthersInverse) {
  std::size_t number = 0;
  for (std::size_t row = 0; row < 50; ++row)
    for (std::size_t column = 0; column <= row; ++column, ++number) {
      EXPECT_EQ(PackedTiles::tile_number(row, column), number);
      const auto at = PackedTiles::tile_at(number);
      EXPECT_EQ(at.row, row);
      EXPECT_EQ(at.column, column);
    }
  // Where the square root is rounded: the ends of rows of a matrix with more than any.
  for (const std::size_t row : {std::size_t{94906266}, std::size_t{1} << 30}) {
    const std::size_t start = PackedTiles::tile_number(row, 0);
    EXPECT_EQ(PackedTiles::tile_at(start).row, row);
    EXPECT_EQ(PackedTiles::tile_at(start).column, 0u);
    EXPECT_EQ(PackedTiles::tile_at(start - 1).row, row - 1);
    EXPECT_EQ(PackedTiles::tile_at(start - 1).column, row - 1);
  }
}

TEST(TileShare, PartsAreTheWholeOnce) {
  for (const std::size_t n : {1, 64, 65, 1000})
    for (const std::size_t count : {1, 2, 3, 7}) {
      const PackedTiles layout{n};
      std::size_t next = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const TileShare share = TileShare::part(layout, i, count);
        EXPECT_EQ(share.first, next);
        EXPECT_GE(share.size() + 1, layout.tiles() / count);
        EXPECT_LE(share.size(), layout.tiles() / count + 1);
        next = share.last;
      }
      EXPECT_EQ(next, layout.tiles());
    }
}

TEST(TileShare, ColumnsOfARowAreThoseOfItsTiles) {
  for (const TileShare share : {TileShare{0, 10}, {4, 8}, {3, 3}, {7, 8}, {5, 10}})
    for (std::size_t row = 0; row < 4; ++row) {
      const TileShare columns = share.columns_of(row);
      for (std::size_t column = 0; column <= row; ++column)
        EXPECT_EQ(columns.holds(column), share.holds(row * (row + 1) / 2 + column))
            << share.first << " " << share.last << ": " << row << " " << column;
      EXPECT_LE(columns.last, row + 1);
    }
}

TEST(TileShare, PartsFollowTheWeights) {
  const PackedTiles layout{6400};
  const std::vector<double> weights = {1, 0, 2.5, 1.5};
  const std::size_t expected[] = {layout.tiles() / 5, 0, layout.tiles() / 2,
                                  layout.tiles() * 3 / 10};
  std::size_t next = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const TileShare share = TileShare::part(layout, i, weights);
    EXPECT_EQ(share.first, next);
    EXPECT_NEAR(static_cast<double>(share.size()), static_cast<double>(expected[i]), 1);
    next = share.last;
  }
  EXPECT_EQ(next, layout.tiles());
}

}  // namespace
}  // namespace thinwire
