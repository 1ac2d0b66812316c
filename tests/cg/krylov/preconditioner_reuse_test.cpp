#include "cg/krylov/preconditioner_reuse.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace thinwire {
namespace {

/// A solve of so many decades.
std::vector<SolveResult> solve_of(int iterations, double decades) {
  SolveResult result;
  result.iterations = iterations;
  result.residual_history = {1.0, std::pow(10.0, -decades)};
  return {result};
}

TEST(PreconditionerReuse, EndsWhereItsIterationsAmountToHalfASolve) {
  PreconditionerReuse reuse;
  EXPECT_FALSE(reuse.serves(1));
  reuse.made(1);
  EXPECT_FALSE(reuse.serves(1.01));  // nobody knows what a new one would take
  reuse.solved(solve_of(12, 6), 1e-6, 1);
  EXPECT_EQ(reuse.whole_solve(), 12);
  EXPECT_TRUE(reuse.serves(1.01));
  EXPECT_FALSE(reuse.serves(1.2));
  reuse.solved(solve_of(10, 3), 1e-6, 1.01);  // 6 with a new one
  EXPECT_TRUE(reuse.serves(1.02));
  reuse.solved(solve_of(14, 3), 1e-6, 1.02);
  EXPECT_FALSE(reuse.serves(1.03));
  reuse.made(1.03);
  EXPECT_TRUE(reuse.serves(1.04));
}

TEST(PreconditionerReuse, ServesNoFartherThanHalfOfWhereItFailed) {
  PreconditionerReuse reuse;
  reuse.made(1);
  reuse.solved(solve_of(12, 6), 1e-6, 1);
  SolverControl control;
  EXPECT_EQ(reuse.max_iterations(control), 28);
  control.max_iterations = 20;
  EXPECT_EQ(reuse.max_iterations(control), 20);
  reuse.failed(1.04);
  reuse.made(1.04);
  EXPECT_TRUE(reuse.serves(1.055));
  EXPECT_FALSE(reuse.serves(1.065));
}

}  // namespace
}  // namespace thinwire
