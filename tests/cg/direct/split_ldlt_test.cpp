#include "cg/direct/split_ldlt.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cg/direct/direct.h"
#include "tests/cg/dense_system.h"

namespace thinwire {
namespace {

using namespace testing;

/// The lower triangle in tiles, and numbers that would be seen if the upper one was read.
std::vector<Complex> tiles_of(const DenseOperator& z) {
  const PackedTiles layout{z.size()};
  std::vector<Complex> tiles(layout.entries(), Complex(1e300, -1e300));
  for (std::size_t i = 0; i < layout.n; ++i)
    for (std::size_t j = 0; j <= i; ++j) tiles[PackedTiles::offset(i, j)] = z.at(i, j);
  return tiles;
}

class SplitLdltOf : public ::testing::TestWithParam<std::size_t> {};
// Around whole vectors, parts of panels, panels and tiles.
INSTANTIATE_TEST_SUITE_P(Sizes, SplitLdltOf,
                         ::testing::Values(1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 40, 41, 63,
                                           64, 65, 100, 257, 303));

TEST_P(SplitLdltOf, AgreesWithLuForSeveralRightHandSides) {
  const std::size_t n = GetParam();
  const DenseOperator z = random_symmetric(n, 3, {1.2, 0.9});
  const SplitLdlt ldlt({n}, tiles_of(z));
  EXPECT_LT(ldlt.growth(), 4);
  const std::vector<Complex> v = random_vector(3 * n, 4);
  std::vector<Complex> x = v;
  ldlt.solve(x);
  for (std::size_t c = 0; c < 3; ++c) {
    const std::span<const Complex> of_one(x.data() + c * n, n), side(v.data() + c * n, n);
    EXPECT_LE(relative_difference(of_one, lapack_solution(z, {side.begin(), side.end()})),
              1e-13);
  }
}

TEST_P(SplitLdltOf, ConditionIsAboutWhatLapackEstimates) {
  const std::size_t n = GetParam();
  const DenseOperator z = random_symmetric(n, 5, {0.9, 0.9});
  const DirectSolver by_lapack(n, std::vector<Complex>(z.entries())),
      by_tiles(PackedTiles{n}, tiles_of(z));
  const double ratio = by_lapack.reciprocal_condition() / by_tiles.reciprocal_condition();
  // The norm is up to 1.4 times as large, and zsycon takes Z^-1 for Z^-H.
  EXPECT_GE(ratio, 0.5);
  EXPECT_LE(ratio, 2);
}

TEST(SplitLdlt, TellsThatItNeedsPivots) {
  const auto growth = [](const DenseOperator& z) {
    return SplitLdlt({z.size()}, tiles_of(z)).growth();
  };
  EXPECT_FALSE(std::isfinite(growth({2, {0, 2, 2, 0}})));
  EXPECT_GT(growth({2, {1e-8, 2, 2, 1e-8}}), 1e6);
  EXPECT_FALSE(growth({2, {1, NAN, NAN, 1}}) <= 1e300);
  EXPECT_NEAR(growth({2, {2, 1, 1, {0, 2}}}), 1, 0.3);
}

TEST(SplitLdlt, ASmallPivotShowsWhatIsNearlySingular) {
  // One function twice, but for 1e-10.
  DenseOperator z = random_symmetric(40, 6, {1.2, 0.9});
  std::vector<Complex> entries = z.entries();
  for (std::size_t i = 0; i < 40; ++i)
    entries[7 + i * 40] = entries[i + 7 * 40] = entries[i + 23 * 40];
  entries[7 + 7 * 40] = entries[7 + 23 * 40] = entries[23 + 7 * 40] =
      entries[23 + 23 * 40];
  EXPECT_TRUE(DirectSolver(PackedTiles{40}, tiles_of(z)).clearly_regular());
  entries[7 + 7 * 40] += 1e-10;
  const DirectSolver nearly(PackedTiles{40}, tiles_of({40, std::move(entries)}));
  EXPECT_FALSE(nearly.clearly_regular());
  EXPECT_LT(nearly.reciprocal_condition(), 1e-9);
}

TEST(DirectSolverOfTiles, TakesPivotsWhereTheyAreNeeded) {
  for (const std::size_t n : {2, 65, 257}) {
    const DenseOperator z = random_symmetric(n, 8, 0);
    std::vector<Complex> x = random_vector(n, 9);
    const std::vector<Complex> right = lapack_solution(z, x);
    const DirectSolver solver(PackedTiles{n}, tiles_of(z));
    solver.solve(x);
    EXPECT_LE(relative_difference(x, right), 1e-14 / solver.reciprocal_condition()) << n;
  }
  const DenseOperator swap(2, {0, 2, 2, 0});
  std::vector<Complex> x = {6, {0, 4}};
  DirectSolver(PackedTiles{2}, tiles_of(swap)).solve(x);
  EXPECT_EQ(x, (std::vector<Complex>{{0, 2}, 3}));
}

}  // namespace
}  // namespace thinwire
