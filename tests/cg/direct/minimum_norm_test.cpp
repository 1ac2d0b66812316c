#include "cg/direct/minimum_norm.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

TEST(MinimumNorm, SolvesRowsOfVeryDifferentUnits) {
  const Complex j(0, 1);
  const Complex x(2, -1), y(0.5, 3);
  const Complex a = 1e12 * (1.0 + j), b = 1e12, c = 1e-9, d = -1e-9 * j;
  const MinimumNorm got =
      minimum_norm_solution(2, {a, c, b, d}, {a * x + b * y, c * x + d * y});
  EXPECT_LT(std::abs(got.x[0] - x), 1e-14);
  EXPECT_LT(std::abs(got.x[1] - y), 1e-14);
  EXPECT_LT(got.residual, 1e-15);
}

TEST(MinimumNorm, TakesTheShortestOfManySolutions) {
  // x + y = 2 twice: x = y = 1.
  const MinimumNorm got = minimum_norm_solution(2, {1, 1, 1, 1}, {2, 2});
  EXPECT_EQ(got.rank, 1U);
  EXPECT_LT(std::abs(got.x[0] - 1.0), 1e-14);
  EXPECT_LT(std::abs(got.x[1] - 1.0), 1e-14);
  EXPECT_LT(got.residual, 1e-14);
}

TEST(MinimumNorm, TellsAContradiction) {
  EXPECT_GT(minimum_norm_solution(2, {1, 1, 1, 1}, {2, 3}).residual, 0.1);
}

TEST(MinimumNorm, SolvesSeveralSidesAndNone) {
  const MinimumNorm got = minimum_norm_solution(1, {Complex(0, 2)}, {4, Complex(0, 6)});
  EXPECT_LT(std::abs(got.x[0] - Complex(0, -2)), 1e-15);
  EXPECT_LT(std::abs(got.x[1] - 3.0), 1e-15);
  EXPECT_TRUE(minimum_norm_solution(0, {}, {}).x.empty());
}

TEST(MinimumNorm, RefusesWhatIsNotFinite) {
  EXPECT_THROW(
      minimum_norm_solution(1, {std::numeric_limits<double>::quiet_NaN()}, {1.0}), Error);
}

}  // namespace
}  // namespace thinwire
