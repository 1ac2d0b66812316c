#include "mom/plan/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mom/operators/toeplitz_operator.h"

namespace thinwire {
namespace {

constexpr Method two_level = {SolverChoice::cocg, PreconditionerChoice::two_level,
                              LdltProducts::tf32};

ToeplitzSize square(std::size_t side) {
  return {20, side * side, {side, side, 1}};
}

// Dipoles of 21 segments, 16 threads of an Intel Xeon beside an H200:
// docs/theory/operators.md; `solve` includes the rows of Z that the solution is held
// against.
TEST(ToeplitzCost, OfDipolesIsWithinAFactorOfTwoOnTheCpu) {
  const PredictedCost cost = toeplitz_cost(square(68), two_level, {}, 1, 16);
  EXPECT_NEAR(std::log2(cost.fill_s / 0.104), 0, 1);
  EXPECT_NEAR(std::log2(cost.solve_s / 0.20), 0, 1);
  EXPECT_EQ(cost.iterations, 28);
}

// gpu_toeplitz (tests/bench); the rows of Z are a step of their own there.
TEST(ToeplitzCost, OfDipolesIsWithinAFactorOfTwoOnAnH200) {
  struct Measured {
    std::size_t side;
    double fill_s, solve_s;
  };
  for (const Measured& measured :
       {Measured{300, 0.0326, 0.0574}, Measured{1000, 0.3950, 0.4631}}) {
    const ToeplitzSize size = square(measured.side);
    const double rows_s = toeplitz_cost_on_gpu(size, two_level, {}, 0, 16, 1).solve_s;
    const PredictedCost cost = toeplitz_cost_on_gpu(size, two_level, {}, 1, 16, 1);
    EXPECT_NEAR(std::log2(cost.fill_s / measured.fill_s), 0, 1);
    EXPECT_NEAR(std::log2((cost.solve_s - rows_s) / measured.solve_s), 0, 1);
  }
}

TEST(ToeplitzCost, GrowsWithTheInverseOfALargeAntenna) {
  const double small = toeplitz_cost({20, 4, {2, 2, 1}}, two_level, {}, 1, 2).factor_s,
               large = toeplitz_cost({4000, 4, {2, 2, 1}}, two_level, {}, 1, 2).factor_s;
  EXPECT_LT(small, 0.01);
  // 6e11 flop at 4.5e10 a second and thread.
  EXPECT_GT(large, 5);
}

TEST(ToeplitzCost, BytesAreThoseOfOperatorAndPreconditioner) {
  const Method none = {SolverChoice::cocg, PreconditionerChoice::none, {}},
               block = {SolverChoice::cocg, PreconditionerChoice::block, {}};
  const std::size_t of_operator = ToeplitzOperator::bytes(20, {10, 10, 1}, 100);
  EXPECT_EQ(toeplitz_bytes(square(10), none), of_operator);
  EXPECT_EQ(toeplitz_bytes(square(10), block), of_operator + 16 * 400 + 4 * 100);
  EXPECT_EQ(toeplitz_bytes(square(10), two_level),
            of_operator + 16 * 400 + 4 * 100 + 2 * 16 * 100);
  // 20 x 20 points.
  EXPECT_EQ(toeplitz_array_bytes(square(10)), 16u * 20 * 400);
}

}  // namespace
}  // namespace thinwire
