#include "cg/precondition/two_level_schwarz.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cg/krylov/solver.h"
#include "kernels/base/error.h"
#include "tests/cg/coarse_systems.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/overlapping_sets.h"

namespace thinwire {
namespace {

using namespace testing;

TEST(TwoLevelSchwarz, SolvesTheCoarseProblemThenTheBlocks) {
  for (const std::uint32_t n : {31, 65, 257}) {
    const DenseOperator z = random_symmetric(n, 81, {1.2, 0.9});
    const Csr<double> p = hats(n, 7);
    const std::vector<Complex> coarse = galerkin(z, p);
    const std::vector<OverlappingSet> sets = interleaved(n, 10);
    const OverlapPreconditioner blocks(sets, reader_of(z));
    const TwoLevelSchwarz m(
        z, std::make_unique<OverlapPreconditioner>(sets, reader_of(z)), p, coarse);
    EXPECT_EQ(m.size(), n);
    EXPECT_EQ(m.coarse_functions(), 7u);
    EXPECT_FALSE(m.symmetric());
    const std::vector<Complex> r = random_vector(n, 82);
    std::vector<Complex> got(n, Complex(7, 7)), t(7), y(n), left(n), expected(n);
    m.apply(r, got);
    multiply(transposed(p), r, t);
    t = lapack_solution({7, coarse}, t);
    multiply(p, t, y);
    z.apply(y, left);
    for (std::uint32_t i = 0; i < n; ++i) left[i] = r[i] - left[i];
    blocks.apply(left, expected);
    for (std::uint32_t i = 0; i < n; ++i) expected[i] += y[i];
    EXPECT_LT(relative_difference(got, expected), 1e-10) << n;
  }
}

// The coarse problem is exact: what it leaves is orthogonal to the coarse functions.
TEST(TwoLevelSchwarz, LeavesNoResidualInTheCoarseSpace) {
  constexpr std::uint32_t n = 65;
  const DenseOperator z = random_symmetric(n, 83, {1.2, 0.9});
  // P is the identity, so that the coarse problem is the whole one.
  Csr<double> all{n, n, {0}, {}, {}};
  for (std::uint32_t i = 0; i < n; ++i) {
    all.column.push_back(i);
    all.value.push_back(1);
    all.row_ptr.push_back(i + 1);
  }
  const TwoLevelSchwarz m(
      z, std::make_unique<OverlapPreconditioner>(interleaved(n, 10), reader_of(z)), all,
      galerkin(z, all));
  const std::vector<Complex> r = random_vector(n, 84);
  std::vector<Complex> got(n);
  m.apply(r, got);
  EXPECT_LT(relative_difference(got, lapack_solution(z, r)), 1e-10);
}

TEST(TwoLevelSchwarz, RefusesPartsThatDoNotFit) {
  const DenseOperator z = random_symmetric(30, 85, {1.2, 0.9});
  const auto blocks = [&] {
    return std::make_unique<OverlapPreconditioner>(interleaved(30, 5), reader_of(z));
  };
  const Csr<double> p = hats(31, 4);
  EXPECT_THROW(TwoLevelSchwarz(z, blocks(), p, std::vector<Complex>(16, 1.0)), Error);
  EXPECT_THROW(TwoLevelSchwarz(z, blocks(), hats(30, 4), std::vector<Complex>(15)),
               Error);
}

}  // namespace
}  // namespace thinwire
