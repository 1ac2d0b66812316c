#include "cg/many_rhs.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "cg/direct/direct.h"
#include "kernels/matrix/symv.h"

namespace thinwire {
namespace {

std::vector<Complex> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Complex> numbers(count);
  for (Complex& number : numbers) number = {uniform(generator), uniform(generator)};
  return numbers;
}

/// Symmetric in its diagonal tiles, zero in the padding, regular without pivots.
std::vector<Complex> random_tiles(PackedTiles layout) {
  std::vector<Complex> tiles(layout.entries());
  const std::vector<Complex> entries = random_numbers(layout.n * layout.n, 1);
  for (std::size_t i = 0; i < layout.n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const Complex entry =
          entries[i * layout.n + j] + (i == j ? 2.0 * static_cast<double>(layout.n) : 0);
      tiles[PackedTiles::offset(i, j)] = entry;
      if (i / PackedTiles::tile == j / PackedTiles::tile)
        tiles[PackedTiles::tile_offset(i / PackedTiles::tile, i / PackedTiles::tile) +
              j % PackedTiles::tile * PackedTiles::tile + i % PackedTiles::tile] = entry;
    }
  return tiles;
}

double largest_difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return difference / size;
}

TEST(ManyRhs, ProductIsThatOfTheSymmetricMatrix) {
  for (const std::size_t n : {1, 31, 63, 64, 65, 257})
    for (const std::size_t count : {1, 8, 33, 70}) {
      const PackedTiles layout{n};
      const std::vector<Complex> z = random_tiles(layout),
                                 x = random_numbers(n * count, 2);
      std::vector<Complex> by_blas(n * count, {7, 7}), one_by_one(n * count);
      multiply_many(layout, z, x, by_blas);
      symv(layout, z, x, one_by_one);
      EXPECT_LT(largest_difference(by_blas, one_by_one), 1e-14) << n << ' ' << count;
    }
}

TEST(ManyRhs, DirectSolverSolvesThemAsOneByOne) {
  // Beyond 1000 unknowns the factors are LAPACK's.
  for (const std::size_t n : {1, 31, 33, 65, 257, 1001}) {
    const PackedTiles layout{n};
    const DirectSolver solver(layout, random_tiles(layout));
    const std::size_t count = n > 1000 ? 9 : 40;
    std::vector<Complex> together = random_numbers(n * count, 3), one_by_one = together;
    solver.solve(together);
    for (std::size_t first = 0; first < one_by_one.size(); first += n)
      solver.solve(std::span(one_by_one).subspan(first, n));
    EXPECT_LT(largest_difference(together, one_by_one), 1e-13) << n;
    // The factors are what they were.
    std::vector<Complex> again = random_numbers(n * count, 3);
    solver.solve(again);
    EXPECT_EQ(again, together);
  }
}

}  // namespace
}  // namespace thinwire
