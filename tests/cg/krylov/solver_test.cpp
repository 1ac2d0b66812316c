#include "cg/krylov/solver.h"
#include "cg/precondition/block_preconditioner.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "cg/direct/direct.h"
#include "cg/krylov/iteration.h"
#include "cg/vector_ops.h"
#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/every_recurrence.h"
#include "tests/messages.h"

namespace thinwire::solver_test {
namespace {

using namespace testing;

// Z in blocks of 20 that dominate, of widely different sizes from block to block.
DenseOperator block_dominant(std::size_t n) {
  const DenseOperator inside = random_symmetric(n, 21, 0);
  std::vector<Complex> a = random_symmetric(n, 22, 0).entries();
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i)
      if (i / 20 == j / 20)
        a[i + j * n] += std::pow(1.5, double(j / 20)) *
                        (5.0 * inside.at(i, j) + Complex(i == j, i == j));
  return {n, std::move(a)};
}

BlockPreconditioner blocks_of_20(const DenseOperator& z) {
  std::vector<BlockPreconditioner::IndexSet> sets((z.size() + 19) / 20);
  for (std::uint32_t i = 0; i < z.size(); ++i) sets[i / 20].push_back(i);
  return {std::move(sets),
          [&z](std::span<const std::uint32_t> set, std::span<Complex> block) {
            for (std::size_t j = 0; j < set.size(); ++j)
              for (std::size_t i = 0; i < set.size(); ++i)
                block[i + j * set.size()] = z.at(set[i], set[j]);
          }};
}

class EveryMethod : public ::testing::TestWithParam<NamedRecurrence> {
 protected:
  template <class... Arguments>
  SolveResult solve(Arguments&&... arguments) {
    return thinwire::solve(GetParam().recurrence, std::forward<Arguments>(arguments)...);
  }
};
INSTANTIATE_TEST_SUITE_P(Solvers, EveryMethod, ::testing::ValuesIn(every_recurrence),
                         [](const auto& test) { return test.param.name; });

TEST_P(EveryMethod, AgreesWithLapack) {
  for (const std::size_t n : {1, 31, 33, 63, 65, 257, 1000}) {
    const DenseOperator z = random_symmetric(n, 11, {0.9, 0.9});
    const std::vector<Complex> v = random_vector(n, 12);
    std::vector<Complex> current = random_vector(n, 13);
    const SolveResult result = solve(z, nullptr, v, current, to(1e-11));
    EXPECT_EQ(result.status, SolveStatus::converged) << n;
    EXPECT_LE(result.relative_residual, 1e-11) << n;
    // The residual that is reported is the true one.
    EXPECT_NEAR(relative_residual(z, current, v), result.relative_residual, 1e-15) << n;
    EXPECT_LE(relative_difference(current, lapack_solution(z, v)), 1e-10) << n;
    EXPECT_EQ(result.residual_history.size(), std::size_t(result.iterations) + 1) << n;
  }
}

TEST_P(EveryMethod, TheBlockPreconditionerSavesIterations) {
  const std::size_t n = 400;
  const DenseOperator z = block_dominant(n);
  const BlockPreconditioner m = blocks_of_20(z);
  const std::vector<Complex> v = random_vector(n, 12);
  std::vector<Complex> plain(n), preconditioned(n);
  const SolveResult without = solve(z, nullptr, v, plain, to(1e-8, 2000));
  const SolveResult with = solve(z, &m, v, preconditioned, to(1e-8, 2000));
  EXPECT_EQ(with.status, SolveStatus::converged);
  EXPECT_LE(relative_residual(z, preconditioned, v), 1e-8);
  EXPECT_LT(3 * with.iterations, without.iterations);
}

TEST_P(EveryMethod, HasTheSameBitsForAnyNumberOfThreads) {
  const std::size_t n = 1500;
  const DenseOperator z = random_symmetric(n, 14, {0.9, 0.9});
  const BlockPreconditioner m = blocks_of_20(z);
  const std::vector<Complex> v = random_vector(n, 15);
  const int before = omp_get_max_threads();
  std::vector<std::vector<Complex>> currents;
  for (const int threads : {1, 2, 5}) {
    omp_set_num_threads(threads);
    currents.emplace_back(n);
    solve(z, &m, v, currents.back(), to(1e-6));
  }
  omp_set_num_threads(before);
  EXPECT_EQ(currents[1], currents[0]);
  EXPECT_EQ(currents[2], currents[0]);
}

// By the recurrence at every iteration as from the currents of a solve that ends there.
TEST_P(EveryMethod, KnowsTheReactionOfEveryIteration) {
  const std::size_t n = 120;
  const DenseOperator z = random_symmetric(n, 14, {0.9, 0.9});
  const BlockPreconditioner m = blocks_of_20(z);
  const std::vector<Complex> v = random_vector(n, 15), start = random_vector(n, 16);
  for (const BlockPreconditioner* with :
       {static_cast<const BlockPreconditioner*>(nullptr), &m})
    for (const bool flexible : {false, true}) {
      SolverControl control = to(1e-9, 12);
      control.flexible = flexible;
      std::vector<Complex> current = start;
      const SolveResult whole = solve(z, with, v, current, control);
      ASSERT_EQ(whole.reaction_history.size(), whole.residual_history.size());
      for (int k = 1; k + 1 < static_cast<int>(whole.reaction_history.size()); ++k) {
        control.max_iterations = k;
        current = start;
        solve(z, with, v, current, control);
        const Complex reaction = dotu(v, current);
        EXPECT_LE(std::abs(whole.reaction_history[k] - reaction),
                  1e-12 * std::abs(reaction))
            << k;
      }
    }
}

TEST_P(EveryMethod, StopsWhenAsked) {
  const DenseOperator z = random_symmetric(200, 16, {0.5, 0.5});
  const std::vector<Complex> v = random_vector(200, 17);
  std::vector<Complex> current(200);
  std::atomic<bool> stop = false;
  SolverControl control = to(1e-12);
  int last = 0;
  control.monitor = Monitor({}, &stop);
  control.on_iteration = [&](int iteration, double, Complex) {
    last = iteration;
    if (iteration == 3) stop = true;
  };
  EXPECT_EQ(test::error_kind([&] { solve(z, nullptr, v, current, control); }),
            ErrorKind::interrupted);
  EXPECT_EQ(last, 3);
}

TEST_P(EveryMethod, StopsAtTheIterationLimit) {
  const DenseOperator z = random_symmetric(200, 16, {0.5, 0.5});
  const std::vector<Complex> v = random_vector(200, 17);
  std::vector<Complex> current(200);
  const SolveResult result = solve(z, nullptr, v, current, to(1e-12, 4));
  EXPECT_EQ(result.status, SolveStatus::max_iterations);
  EXPECT_EQ(result.iterations, 4);
  EXPECT_NEAR(relative_residual(z, current, v), result.relative_residual, 1e-14);
  EXPECT_LT(result.relative_residual, 1);
}

TEST_P(EveryMethod, ATrueStartNeedsNoIteration) {
  const DenseOperator z = random_symmetric(50, 16, {0.9, 0.9});
  const std::vector<Complex> v = random_vector(50, 17);
  std::vector<Complex> current = lapack_solution(z, v);
  const SolveResult result = solve(z, nullptr, v, current, to(1e-10));
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.status, SolveStatus::converged);
}

TEST_P(EveryMethod, NoExcitationGivesNoCurrent) {
  const DenseOperator z = random_symmetric(50, 16, {0.9, 0.9});
  std::vector<Complex> current = random_vector(50, 17);
  const SolveResult result =
      solve(z, nullptr, std::vector<Complex>(50), current, to(1e-10));
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_EQ(current, std::vector<Complex>(50));
}

TEST_P(EveryMethod, ReportsBreakdownOnASystemWithoutSolution) {
  // [[1, i], [i, -1]]: Z^2 = 0, and V = (1, 0) is not in its range.
  const DenseOperator z(2, {1, {0, 1}, {0, 1}, -1});
  std::vector<Complex> current(2);
  const SolveResult result =
      solve(z, nullptr, std::vector<Complex>{1, 0}, current, to(1e-6));
  EXPECT_EQ(result.status, SolveStatus::breakdown);
  EXPECT_TRUE(std::isfinite(result.relative_residual));
  EXPECT_NEAR(relative_residual(z, current, std::vector<Complex>{1, 0}),
              result.relative_residual, 1e-14);
}

TEST_P(EveryMethod, ReportsBreakdownOnNumbersThatAreNotFinite) {
  const DenseOperator z(2, {NAN, 0, 0, 1});
  std::vector<Complex> current(2);
  const SolveResult result =
      solve(z, nullptr, std::vector<Complex>{1, 1}, current, to(1e-6));
  EXPECT_EQ(result.status, SolveStatus::breakdown);
}

TEST_P(EveryMethod, DoesNotClaimAToleranceBelowRounding) {
  const DenseOperator z = random_symmetric(100, 18, {0.9, 0.9});
  const std::vector<Complex> v = random_vector(100, 19);
  std::vector<Complex> current(100);
  const SolveResult result = solve(z, nullptr, v, current, to(1e-18));
  EXPECT_EQ(result.status, SolveStatus::breakdown);
  EXPECT_LE(result.relative_residual, 1e-14);
}

// M r falls to almost nothing; its squares underflow after a few iterations.
TEST_P(EveryMethod, AnExactPreconditionerLeavesASolution) {
  const DenseOperator z = block_dominant(20);
  const BlockPreconditioner exact = blocks_of_20(z);
  const std::vector<Complex> v = random_vector(20, 12);
  for (const double tolerance : {1e-13, 1e-15, 1e-17, 1e-30}) {
    std::vector<Complex> current(20);
    const SolveResult result = solve(z, &exact, v, current, to(tolerance));
    EXPECT_LE(relative_residual(z, current, v), 1e-11) << tolerance;
    EXPECT_NEAR(result.relative_residual, relative_residual(z, current, v), 1e-12)
        << tolerance;
  }
}

TEST_P(EveryMethod, RefusesSizesThatDiffer) {
  const DenseOperator z = random_symmetric(4, 18, {0.9, 0.9});
  std::vector<Complex> current(4), v(5);
  EXPECT_THROW(solve(z, nullptr, v, current, to(1e-6)), Error);
}

TEST_P(EveryMethod, RestartsWhereTheRecurrenceHasDrifted) {
  const DenseOperator z = random_symmetric(80, 18, {0.9, 0.9});
  const std::vector<Complex> v = random_vector(80, 19);
  std::vector<Complex> current(80);
  const SolveResult result = solve(GlitchingOperator(z), nullptr, v, current, to(1e-9));
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LE(relative_residual(z, current, v), 1.001e-9);
}

TEST_P(EveryMethod, ARestartDoesNotPassTheIterationLimit) {
  const DenseOperator z = random_symmetric(80, 18, {0.9, 0.9});
  const std::vector<Complex> v = random_vector(80, 19);
  std::vector<Complex> current(80);
  int claimed = 0;  // the iteration after which it restarts
  SolverControl control = to(1e-9);
  control.on_iteration = [&](int iteration, double residual, Complex) {
    if (claimed == 0 && residual <= 1e-9) claimed = iteration;
  };
  const int all = solve(GlitchingOperator(z, 7), nullptr, v, current, control).iterations;
  ASSERT_GT(all, claimed);
  std::fill(current.begin(), current.end(), 0.0);
  const SolveResult result =
      solve(GlitchingOperator(z, 7), nullptr, v, current, to(1e-9, claimed));
  EXPECT_EQ(result.status, SolveStatus::max_iterations);
  EXPECT_EQ(result.iterations, claimed);
  EXPECT_GT(result.relative_residual, 1e-9);
}

TEST(Cg, FirstIterationIsThePapersByHand) {
  // Z = [1, i; i, 2], V = (1, 0), I_0 = 0:
  // r_0 = (1, 0), p_1 = Z^H r_0 = (1, -i), Z p_1 = (2, -i), alpha_1 = 2/5,
  // I_1 = (2/5, -2i/5), r_1 = (1/5, 2i/5), ||r_1|| = 1/sqrt(5).
  const DenseOperator z(2, {1, {0, 1}, {0, 1}, 2});
  const std::vector<Complex> v = {1, 0};
  std::vector<Complex> current(2);
  const SolveResult result = solve(Recurrence::cg, z, nullptr, v, current, to(1e-9, 1));
  EXPECT_NEAR(std::abs(current[0] - Complex(0.4, 0)), 0, 1e-15);
  EXPECT_NEAR(std::abs(current[1] - Complex(0, -0.4)), 0, 1e-15);
  EXPECT_NEAR(result.residual_history[1], 1 / std::sqrt(5.0), 1e-15);

  // Z^H r_1 = (3/5, 3i/5), beta_1 = (18/25) / 2 = 9/25, p_2 = (24/25, 6i/25),
  // Z p_2 = (18/25, 36i/25), alpha_2 = (18/25) / (1620/625) = 5/18, r_2 = 0:
  // I_2 = (2/5 + 4/15, -2i/5 + i/15) = (2/3, -i/3), the solution.
  std::fill(current.begin(), current.end(), 0.0);
  const SolveResult two = solve(Recurrence::cg, z, nullptr, v, current, to(1e-9));
  EXPECT_EQ(two.iterations, 2);
  EXPECT_NEAR(std::abs(current[0] - Complex(2.0 / 3, 0)), 0, 1e-14);
  EXPECT_NEAR(std::abs(current[1] - Complex(0, -1.0 / 3)), 0, 1e-14);
}

TEST(Cg, TheResidualNeverRises) {
  const DenseOperator z = block_dominant(200);
  const BlockPreconditioner m = blocks_of_20(z);
  const std::vector<Complex> v = random_vector(200, 12);
  for (const Preconditioner* p : {static_cast<const Preconditioner*>(nullptr),
                                  static_cast<const Preconditioner*>(&m)}) {
    std::vector<Complex> current(200);
    const auto history =
        solve(Recurrence::cg, z, p, v, current, to(1e-6, 300)).residual_history;
    ASSERT_GT(history.size(), 5u);
    for (std::size_t i = 1; i < history.size(); ++i)
      EXPECT_LE(history[i], history[i - 1] * (1 + 1e-12));
  }
}

TEST(Gmres, StartsAnewAfterSoManyIterationsAsItIsTold) {
  const DenseOperator z = random_symmetric(200, 60, {1.1, 0.3});
  const std::vector<Complex> v = random_vector(200, 61), expected = lapack_solution(z, v);
  SolverControl control = to(1e-10);
  std::vector<Complex> current(200);
  const SolveResult whole = solve(Recurrence::gmres, z, nullptr, v, current, control);
  EXPECT_EQ(whole.restarted_after, 0);
  // More often than a solver starts anew for rounding.
  control.restart = whole.iterations / 10;
  ASSERT_GE(control.restart, 2);
  std::fill(current.begin(), current.end(), 0.0);
  const SolveResult cut = solve(Recurrence::gmres, z, nullptr, v, current, control);
  EXPECT_EQ(cut.status, SolveStatus::converged);
  EXPECT_EQ(cut.restarted_after, control.restart);
  EXPECT_GT(cut.iterations, whole.iterations);
  EXPECT_LT(relative_difference(current, expected), 1e-8);
  // Others have no use for it.
  std::fill(current.begin(), current.end(), 0.0);
  const SolveResult cocg = solve(Recurrence::cocg, z, nullptr, v, current, control);
  EXPECT_EQ(cocg.status, SolveStatus::converged);
  EXPECT_EQ(cocg.restarted_after, 0);
}

TEST(Gmres, TheResidualNeverRisesAndEndsWithinNIterations) {
  const DenseOperator z = random_symmetric(120, 30, 0);  // indefinite, slow
  const std::vector<Complex> v = random_vector(120, 31);
  std::vector<Complex> current(120);
  const SolveResult result = solve(Recurrence::gmres, z, nullptr, v, current, to(1e-10));
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LE(result.iterations, 121);
  for (std::size_t i = 1; i < result.residual_history.size(); ++i)
    EXPECT_LE(result.residual_history[i], result.residual_history[i - 1] * (1 + 1e-12));
}

TEST(Gmres, NeedsNoMoreIterationsThanTheOthersForTheSameResidual) {
  const DenseOperator z = random_symmetric(300, 32, {0.6, 0.6});
  const std::vector<Complex> v = random_vector(300, 33);
  std::vector<Complex> current(300);
  const int fewest =
      solve(Recurrence::gmres, z, nullptr, v, current, to(1e-8)).iterations;
  for (const Recurrence other : {Recurrence::cocg, Recurrence::cocr}) {
    std::fill(current.begin(), current.end(), 0.0);
    EXPECT_GE(solve(other, z, nullptr, v, current, to(1e-8)).iterations, fewest);
  }
}

/// The inverse of Z in double, but what goes in and comes out is rounded to single.
class InverseInSingle final : public Preconditioner {
 public:
  explicit InverseInSingle(const DenseOperator& z)
      : inverse_(z.size(), std::vector<Complex>(z.entries())) {}
  std::size_t size() const override { return inverse_.size(); }
  void apply(std::span<const Complex> r, std::span<Complex> z) const override {
    const auto round = [](Complex x) { return Complex(std::complex<float>(x)); };
    std::transform(r.begin(), r.end(), z.begin(), round);
    inverse_.solve(z);
    std::transform(z.begin(), z.end(), z.begin(), round);
  }

 private:
  DirectSolver inverse_;
};

TEST(Gmres, FlexibleDoesNotLoseWhatThePreconditionerRounds) {
  const DenseOperator z = random_symmetric(100, 50, {1.2, 0.9});
  const InverseInSingle m(z);
  const std::vector<Complex> v = random_vector(100, 51);
  SolverControl control = to(1e-12);
  std::vector<Complex> current(100);
  // The sum of the preconditioned vectors is what was multiplied with Z; the
  // preconditioned sum differs by rounding, and the residual has to be reduced again.
  EXPECT_GT(solve(Recurrence::gmres, z, &m, v, current, control).iterations, 2);
  control.flexible = true;
  std::fill(current.begin(), current.end(), 0.0);
  const SolveResult result = solve(Recurrence::gmres, z, &m, v, current, control);
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_EQ(result.iterations, 2);
  EXPECT_LE(relative_residual(z, current, v), 1e-12);
}

/// An inverse that says of itself that it is not symmetric, as restricted Schwarz does.
class NotSymmetric final : public Preconditioner {
 public:
  explicit NotSymmetric(const DenseOperator& z)
      : inverse_(z.size(), std::vector<Complex>(z.entries())) {}
  std::size_t size() const override { return inverse_.size(); }
  bool symmetric() const override { return false; }
  void apply(std::span<const Complex> r, std::span<Complex> z) const override {
    std::copy(r.begin(), r.end(), z.begin());
    inverse_.solve(z);
  }

 private:
  DirectSolver inverse_;
};

TEST_P(EveryMethod, ButGmresRefusesAPreconditionerThatIsNotSymmetric) {
  const DenseOperator z = random_symmetric(31, 60, {1.2, 0.9});
  const NotSymmetric m(z);
  const std::vector<Complex> v = random_vector(31, 61);
  std::vector<Complex> current(31);
  if (GetParam().recurrence == Recurrence::gmres) {
    EXPECT_EQ(solve(z, &m, v, current, to(1e-9)).status, SolveStatus::converged);
    return;
  }
  EXPECT_EQ(test::error_message(ErrorKind::usage,
                                [&] { (void)solve(z, &m, v, current, to(1e-9)); }),
            std::string(GetParam().name) +
                ": the preconditioner's matrix is not symmetric, which this solver "
                "needs. Use --solver gmres, or --precond two-level.");
}

TEST_P(EveryMethod, StartsElsewhereWhereTheProductOfTheFirstVectorsVanishes) {
  // Z = [0, 1; 1, 0], V = (1, 0): p^T Z p = 0 at once, though Z is orthogonal.
  const DenseOperator z(2, {0, 1, 1, 0});
  std::vector<Complex> current(2);
  EXPECT_EQ(solve(z, nullptr, std::vector<Complex>{1, 0}, current, to(1e-9)).status,
            SolveStatus::converged);
  EXPECT_NEAR(std::abs(current[1] - 1.0), 0, 1e-8);
}

TEST_P(EveryMethod, SolvesForEqualAntennasFedInQuadrature) {
  // Two equal systems that do not couple, V = (v, iv): x^T y = 0 for all vectors that
  // products of Z with V give.
  const std::size_t n = 60;
  const DenseOperator one = random_symmetric(n, 41, {0.9, 0.9});
  std::vector<Complex> both(4 * n * n), v(2 * n), current(2 * n);
  const std::vector<Complex> feed = random_vector(n, 42);
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = feed[i];
    v[n + i] = Complex(0, 1) * feed[i];
    for (std::size_t j = 0; j < n; ++j)
      both[i + 2 * n * j] = both[n + i + 2 * n * (n + j)] = one.at(i, j);
  }
  const DenseOperator z(2 * n, std::move(both));
  const SolveResult result = solve(z, nullptr, v, current, to(1e-9));
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LE(relative_residual(z, current, v), 1e-9);
  EXPECT_LE(result.iterations, 60);
}

// COCG as it would be with x^H y for x^T y: conjugate gradients for Hermitian matrices.
double residual_of_hermitian_cg(const DenseOperator& z, std::span<const Complex> v,
                                int iterations) {
  std::vector<Complex> x(v.size()), r(v.begin(), v.end()), p = r, q(v.size());
  Complex rho = dotc(r, r);
  for (int i = 0; i < iterations; ++i) {
    z.apply(p, q);
    const Complex alpha = rho / dotc(p, q);
    axpy(alpha, p, x);
    axpy(-alpha, q, r);
    const Complex next = dotc(r, r);
    xpay(r, next / rho, p);
    rho = next;
  }
  return relative_residual(z, x, v);
}

TEST(Cocg, TheMatrixIsSymmetricAndNotHermitian) {
  // Eigenvalues spread over a quarter circle: the trap for dotc in the place of dotu.
  const std::size_t n = 40;
  std::vector<Complex> a = random_symmetric(n, 40, 0).entries();
  for (std::size_t i = 0; i < n; ++i)
    a[i + i * n] += std::polar(2.0, pi / 2 * double(i) / double(n - 1));
  const DenseOperator z(n, std::move(a));
  const std::vector<Complex> v = random_vector(n, 41);
  std::vector<Complex> current(n);
  const SolveResult result = solve(Recurrence::cocg, z, nullptr, v, current, to(1e-8));
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LE(result.iterations, 50);
  EXPECT_GT(residual_of_hermitian_cg(z, v, 2 * result.iterations), 1e-4);
}

TEST(Stagnation, IsReportedInsteadOfIteratingToTheLimit) {
  // Half of V lies outside the range of this singular Z.
  const std::size_t n = 300;
  std::vector<Complex> a(n * n, 0);
  for (std::size_t i = 0; i < n / 2; ++i) a[i + i * n] = 1.0 + 0.01 * double(i);
  const DenseOperator z(n, std::move(a));
  const std::vector<Complex> v(n, {1, 0.5});
  std::vector<Complex> current(n);
  const SolveResult result = solve(Recurrence::cg, z, nullptr, v, current, to(1e-6));
  EXPECT_EQ(result.status, SolveStatus::breakdown);
  EXPECT_LT(result.iterations, 3000);
  EXPECT_NEAR(result.relative_residual, std::sqrt(0.5), 1e-6);
}

TEST(Stagnation, IsNotSeenInWhatARecurrenceClaimedInVain) {
  const SolverControl control = to(1e-6);
  Iteration iteration(control, 1, 100);
  iteration.correct(1, 0.0);
  for (int k = 1; k <= 250; ++k)
    (void)iteration.record(0.1 * std::pow(10, -k / 50.0), 0.0);
  iteration.correct(1e-2, 0.0);
  // Slow, but a tenth in far less than the 200 iterations of the window.
  for (int k = 1; k <= 300; ++k)
    ASSERT_FALSE(iteration.record(1e-2 * std::pow(0.98, k), 0.0)) << k;
}

}  // namespace
}  // namespace thinwire::solver_test
