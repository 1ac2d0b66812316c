#include "cg/direct/direct.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "kernels/base/error.h"
#include "tests/cg/dense_system.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using namespace testing;

class Direct : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Direct, ::testing::Values(1, 31, 33, 63, 65, 257, 1000));

TEST_P(Direct, AgreesWithLuForSeveralRightHandSides) {
  const std::size_t n = GetParam();
  // No shift: indefinite, so that pivoting has to work.
  const DenseOperator z = random_symmetric(n, 3, 0);
  std::vector<Complex> lower = z.entries();
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < j; ++i) lower[i + j * n] = {1e300, -1e300};  // not read
  const DirectSolver solver(n, std::move(lower));
  const std::vector<Complex> v = random_vector(3 * n, 4);
  std::vector<Complex> x = v;
  solver.solve(x);
  for (std::size_t c = 0; c < 3; ++c) {
    const std::span<const Complex> xc(x.data() + c * n, n), vc(v.data() + c * n, n);
    EXPECT_LE(testing::relative_residual(z, xc, vc), 1e-11);
    EXPECT_LE(testing::relative_difference(
                  xc, testing::lapack_solution(z, {vc.begin(), vc.end()})),
              1e-14 / solver.reciprocal_condition());
  }
}

TEST(Direct, PivotsWhereTheDiagonalIsZero) {
  const DirectSolver solver(2, {0, 2, 2, 0});
  std::vector<Complex> x = {6, {0, 4}};
  solver.solve(x);
  EXPECT_EQ(x[0], Complex(0, 2));
  EXPECT_EQ(x[1], Complex(3, 0));
}

TEST(Direct, ReciprocalConditionIsThatOfADiagonalMatrix) {
  std::vector<Complex> z(9, 0);
  z[0] = {0, 4}, z[4] = 1e-5, z[8] = -2;
  EXPECT_NEAR(DirectSolver(3, std::move(z)).reciprocal_condition(), 2.5e-6, 1e-16);
}

TEST(Direct, ReciprocalConditionSeesTheWholeSymmetricMatrix) {
  // ||Z||_1 = 11, Z^-1 = [-1, 10; 10, -1] / 99 with 1-norm 1/9.
  const DirectSolver solver(2, {1, 10, -77, 1});
  EXPECT_NEAR(solver.reciprocal_condition(), 9.0 / 11, 1e-12);
}

ErrorKind refusal(std::size_t n, std::vector<Complex> z) {
  return test::error_kind([&] { DirectSolver solver(n, std::move(z)); });
}

TEST(Direct, RefusesWhatHasNoSolution) {
  // [[1, i], [i, -1]] is singular though no entry is zero.
  EXPECT_EQ(refusal(2, {1, {0, 1}, {0, 1}, -1}), ErrorKind::numeric);
  EXPECT_EQ(refusal(3, std::vector<Complex>(9, 0)), ErrorKind::numeric);
  EXPECT_EQ(refusal(1, {NAN}), ErrorKind::numeric);
  EXPECT_EQ(refusal(2, {1, std::numeric_limits<double>::infinity(), 0, 1}),
            ErrorKind::numeric);
  EXPECT_EQ(refusal(2, {1, 2, 3}), ErrorKind::numeric);
}

TEST(Direct, RefusesRightHandSidesOfAnotherLength) {
  const DirectSolver solver(2, {1, 0, 0, 1});
  std::vector<Complex> v(3);
  EXPECT_THROW(solver.solve(v), Error);
}

}  // namespace
}  // namespace thinwire
