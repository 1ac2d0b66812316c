// Dense solvers with every allocation, LAPACK's own included, in front of an unreadable
// page.
#include <gtest/gtest.h>

#include <random>

#include "cg/direct/direct.h"
#include "cg/direct/inverse.h"
#include "cg/direct/least_vector.h"
#include "cg/direct/minimum_norm.h"
#include "tests/guarded/guarded_malloc.h"

namespace thinwire {
namespace {

/// Complex symmetric, column-major.
std::vector<Complex> random_symmetric(std::size_t n) {
  std::mt19937_64 random(n);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Complex> a(n * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i <= j; ++i)
      a[i + j * n] = a[j + i * n] = Complex(uniform(random), uniform(random));
  return a;
}

/// Sizes below, at and above the block sizes of LAPACK and of OpenBLAS's kernels.
class GuardedDirect : public ::testing::TestWithParam<int> {
 protected:
  const std::size_t n_ = static_cast<std::size_t>(GetParam());
  const test::GuardedMalloc guard_;
};

TEST_P(GuardedDirect, LeastVectorStaysWithinItsArrays) {
  EXPECT_EQ(least_vector(n_ + 2, n_, std::vector<Complex>((n_ + 2) * n_, 1)).size(), n_);
}

TEST_P(GuardedDirect, MinimumNormStaysWithinItsArrays) {
  EXPECT_EQ(
      minimum_norm_solution(n_, random_symmetric(n_), std::vector<Complex>(2 * n_, 1))
          .rank,
      n_);
}

TEST_P(GuardedDirect, InverseStaysWithinItsArrays) {
  std::vector<Complex> a = random_symmetric(n_);
  EXPECT_NO_THROW(invert_symmetric(a, n_, "the matrix"));
}

TEST_P(GuardedDirect, FactorsStayWithinTheirArrays) {
  const DirectSolver solver(n_, random_symmetric(n_));
  std::vector<Complex> x(3 * n_, 1);
  solver.solve(x);
  EXPECT_GT(solver.reciprocal_condition(), 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, GuardedDirect,
                         ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 31, 33, 34, 63, 65,
                                           130));

}  // namespace
}  // namespace thinwire
