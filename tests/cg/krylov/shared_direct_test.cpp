#include "cg/krylov/shared_direct.h"

#include <gtest/gtest.h>

#include "cg/direct/direct.h"
#include "tests/cg/on_ranks.h"
#include "tests/cg/shared_system.h"

namespace thinwire {
namespace {

using namespace testing;

constexpr std::size_t n = 300;

/// One whose leading block of 128 is small, so that elimination without pivots between
/// blocks grows by 1 / small.
testing::DenseOperator with_small_block(double small) {
  testing::DenseOperator z = testing::random_symmetric(n, 11, {2, 1});
  std::vector<Complex> entries = z.entries();
  for (std::size_t j = 0; j < 128; ++j)
    for (std::size_t i = 0; i < 128; ++i) entries[i + j * n] *= small;
  // So that Z itself is regular: rows of the block are coupled with others.
  for (std::size_t i = 0; i < 128; ++i)
    entries[i + (i + 150) * n] = entries[i + 150 + i * n] = 3;
  return {n, entries};
}

TEST(SharedDirectSolver, RefinesToRounding) {
  // Growth of 1e6: factors give 1e-10 and refinement the rest.
  const testing::DenseOperator z = with_small_block(1e-6);
  const std::vector<Complex> v = random_vector(2 * n, 12);
  on_ranks(2, [&](const Comm& comm) {
    const SharedMatrix shared = share_of(z, comm);
    SharedDirectSolver solver(shared);
    std::vector<Complex> x(2 * n);
    SolverControl control;
    control.tolerance = 1e-6;
    const auto results = solver.solve(v, x, control);
    EXPECT_FALSE(solver.iterated());
    for (std::size_t s = 0; s < 2; ++s) {
      EXPECT_EQ(results[s].status, SolveStatus::converged);
      EXPECT_EQ(results[s].iterations, 0);
      EXPECT_LT(results[s].relative_residual, 1e-14);
      EXPECT_LT(testing::relative_residual(z, std::span(x).subspan(s * n, n),
                                           std::span(v).subspan(s * n, n)),
                1e-14);
    }
  });
}

TEST(SharedDirectSolver, GoesOnByGmresWhereFactorsAreNoGood) {
  const testing::DenseOperator z = with_small_block(1e-14);
  const std::vector<Complex> v = random_vector(n, 12);
  on_ranks(3, [&](const Comm& comm) {
    const SharedMatrix shared = share_of(z, comm);
    SharedDirectSolver solver(shared);
    std::vector<Complex> x(n);
    SolverControl control;
    control.tolerance = 1e-10;
    const auto results = solver.solve(v, x, control);
    EXPECT_TRUE(solver.iterated());
    EXPECT_EQ(results[0].status, SolveStatus::converged);
    EXPECT_GT(results[0].iterations, 0);
    EXPECT_LT(testing::relative_residual(z, x, v), 1e-10);
  });
}

TEST(SharedDirectSolver, EstimatesTheConditionAsLapackDoes) {
  const testing::DenseOperator z = testing::random_symmetric(n, 13, {2, 1});
  const double right =
      DirectSolver(n, std::vector<Complex>(z.entries())).reciprocal_condition();
  on_ranks(2, [&](const Comm& comm) {
    const SharedMatrix shared = share_of(z, comm);
    // For small matrices a single rank uses |Re| + |Im| as the absolute value.
    const double here = SharedDirectSolver(shared).reciprocal_condition();
    EXPECT_GE(here, 0.999 * right);
    EXPECT_LE(here, 1.415 * right);
  });
}

TEST(SharedDirectSolver, NoExcitationGivesNoCurrent) {
  const testing::DenseOperator z = testing::random_symmetric(n, 13, {2, 1});
  on_ranks(2, [&](const Comm& comm) {
    const SharedMatrix shared = share_of(z, comm);
    const std::vector<Complex> v(n);
    std::vector<Complex> x(n, 1);
    const auto results = SharedDirectSolver(shared).solve(v, x, {});
    EXPECT_EQ(results[0].status, SolveStatus::converged);
    EXPECT_EQ(results[0].relative_residual, 0);
    EXPECT_EQ(x, v);
  });
}

}  // namespace
}  // namespace thinwire
