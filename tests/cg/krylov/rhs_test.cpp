#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "cg/krylov/solver.h"
#include "cg/precondition/block_preconditioner.h"
#include "cg/vector_ops.h"
#include "kernels/base/error.h"
#include "tests/cg/blocks_of_20.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/every_recurrence.h"
#include "tests/cg/several_rhs.h"

namespace thinwire {
namespace {

using namespace testing;

/// Counts what it multiplies.
class Counting final : public LinearOperator {
 public:
  explicit Counting(const DenseOperator& z) : z_(z) {}
  std::size_t size() const override { return z_.size(); }
  void apply(std::span<const Complex> x, std::span<Complex> y) const override {
    ++products;
    z_.apply(x, y);
  }
  void apply_many(std::span<const Complex> x, std::span<Complex> y) const override {
    most = std::max(most, x.size() / size());
    LinearOperator::apply_many(x, y);
  }
  mutable int products = 0;
  mutable std::size_t most = 0;

 private:
  const DenseOperator& z_;
};

class RhsTest : public ::testing::TestWithParam<testing::NamedRecurrence> {
 protected:
  Recurrence recurrence() const { return GetParam().recurrence; }
};
INSTANTIATE_TEST_SUITE_P(Solvers, RhsTest, ::testing::ValuesIn(testing::every_recurrence),
                         [](const auto& test) { return test.param.name; });

TEST_P(RhsTest, EachIsSolvedAsIfItWereAlone) {
  const DenseOperator z = random_symmetric(257, 11, {0.9, 0.9});
  const BlockPreconditioner blocks(sets_of_20(257), entries_of(z));
  for (const Preconditioner* m : {static_cast<const Preconditioner*>(nullptr),
                                  static_cast<const Preconditioner*>(&blocks)})
    for (const std::size_t count : {1, 2, 3, 4, 5}) {
      SCOPED_TRACE(count);
      const SeveralRhs all_rhs(z, count);
      const Counting together(z), alone(z);
      std::vector<Complex> current = all_rhs.start;
      const std::vector<SolveResult> results =
          solve_rhs(recurrence(), together, m, all_rhs.v, current, to(1e-8));
      ASSERT_EQ(results.size(), count);
      for (std::size_t s = 0; s < count; ++s) {
        std::vector<Complex> own(all_rhs.part(all_rhs.start, s).begin(),
                                 all_rhs.part(all_rhs.start, s).end());
        const SolveResult result =
            solve(recurrence(), alone, m, all_rhs.own(s), own, to(1e-8));
        EXPECT_EQ(results[s].status, SolveStatus::converged) << s;
        EXPECT_EQ(results[s].iterations, result.iterations) << s;
        EXPECT_EQ(results[s].residual_history, result.residual_history) << s;
        EXPECT_TRUE(std::ranges::equal(all_rhs.part(current, s), own)) << s;
      }
      if (count > 3) {
        EXPECT_GT(results[0].iterations, results[2].iterations);
        EXPECT_GT(results[2].iterations, results[3].iterations);
      }
      // A side that has ended is not multiplied any more; the others share products.
      EXPECT_EQ(together.products, alone.products);
      // The zero side parts the first from the rest, which go together.
      EXPECT_EQ(together.most, count < 4 ? 0u : 2u);
    }
}

TEST_P(RhsTest, OneMayRestartAndTheOthersDoNotNotice) {
  const DenseOperator z = random_symmetric(80, 18, {0.9, 0.9});
  const std::vector<Complex> v = random_vector(2 * 80, 19);
  std::vector<Complex> current(2 * 80), alone(80);
  // Products go side by side: the 13th is of the first.
  const std::vector<SolveResult> results =
      solve_rhs(recurrence(), GlitchingOperator(z, 13), nullptr, v, current, to(1e-9));
  const SolveResult second =
      solve(recurrence(), z, nullptr, std::span(v).subspan(80), alone, to(1e-9));
  for (std::size_t s = 0; s < 2; ++s) {
    EXPECT_EQ(results[s].status, SolveStatus::converged);
    EXPECT_LE(relative_residual(z, std::span(current).subspan(80 * s, 80),
                                std::span(v).subspan(80 * s, 80)),
              1.001e-9);
  }
  EXPECT_GT(results[0].iterations, results[1].iterations);
  EXPECT_EQ(results[1].residual_history, second.residual_history);
  EXPECT_TRUE(std::ranges::equal(std::span(current).subspan(80), alone));
}

TEST_P(RhsTest, EachHasItsOwnStatus) {
  // Z = diag(1, 2, 0): the first V is in its range, the second is not.
  const DenseOperator z(3, {1, 0, 0, 0, 2, 0, 0, 0, 0});
  const std::vector<Complex> v = {1, 1, 0, 1, 0, 1};
  std::vector<Complex> current(6);
  const std::vector<SolveResult> results =
      solve_rhs(recurrence(), z, nullptr, v, current, to(1e-9));
  EXPECT_EQ(results[0].status, SolveStatus::converged);
  EXPECT_EQ(results[1].status, SolveStatus::breakdown);
  EXPECT_NEAR(std::abs(current[0] - 1.0), 0, 1e-9);
  EXPECT_NEAR(std::abs(current[1] - 0.5), 0, 1e-9);
}

TEST_P(RhsTest, WhatIsNoWholeNumberOfSidesIsRefused) {
  const DenseOperator z = random_symmetric(4, 18, {0.9, 0.9});
  std::vector<Complex> current(9), v(9);
  EXPECT_THROW(solve_rhs(recurrence(), z, nullptr, v, current, to(1e-6)), Error);
  v.resize(8);
  EXPECT_THROW(solve_rhs(recurrence(), z, nullptr, v, current, to(1e-6)), Error);
}

}  // namespace
}  // namespace thinwire
