// What a user of the library writes to solve with an operator and a preconditioner of
// their own, on the CPU and on the GPU: tests/cg/low_rank_operator.h.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "cg/krylov/device_solver.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/every_recurrence.h"
#include "tests/cg/low_rank_operator.h"

namespace thinwire {
namespace {

using testing::DenseOperator;
using testing::DiagonalPreconditioner;
using testing::LowRankOperator;
using testing::random_vector;

constexpr std::size_t rank = 5;

/// A diagonal of widely different entries.
LowRankOperator low_rank(std::size_t n) {
  std::vector<Complex> diagonal = random_vector(n, 51), u = random_vector(rank * n, 52);
  for (std::size_t i = 0; i < n; ++i)
    diagonal[i] = std::polar(1 + 0.2 * std::abs(diagonal[i]), 0.5) *
                  std::pow(3.0, static_cast<double>(i % 7));
  for (Complex& value : u) value *= 0.5 / std::sqrt(static_cast<double>(n));
  return {std::move(diagonal), std::move(u)};
}

DenseOperator dense(const LowRankOperator& z) {
  const std::size_t n = z.size();
  std::vector<Complex> a(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    a[j + j * n] = z.diagonal()[j];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < rank; ++k)
        a[i + j * n] += z.u()[k * n + i] * z.u()[k * n + j];
  }
  return {n, std::move(a)};
}

SolverControl precisely() {
  SolverControl control;
  control.tolerance = 1e-11;
  return control;
}

/// Three sides, and what LAPACK makes of them.
struct Reference {
  explicit Reference(const LowRankOperator& z) : v(random_vector(3 * z.size(), 53)) {
    const DenseOperator matrix = dense(z);
    for (std::size_t s = 0; s < 3; ++s) {
      const auto first = v.begin() + static_cast<std::ptrdiff_t>(s * z.size());
      const std::vector<Complex> own = testing::lapack_solution(
          matrix, {first, first + static_cast<std::ptrdiff_t>(z.size())});
      current.insert(current.end(), own.begin(), own.end());
    }
  }
  std::vector<Complex> v, current;  // [3][n]
};

TEST(OwnOperator, IsSolvedByEveryRecurrence) {
  for (const std::size_t n : {1, 31, 65, 300}) {
    const LowRankOperator z = low_rank(n);
    const DiagonalPreconditioner diagonal(z.diagonal());
    const Reference reference(z);
    for (const auto& [name, recurrence] : testing::every_recurrence)
      for (const Preconditioner* m : {static_cast<const Preconditioner*>(nullptr),
                                      static_cast<const Preconditioner*>(&diagonal)}) {
        std::vector<Complex> current(3 * n);
        for (const SolveResult& result :
             solve_sides(recurrence, z, m, reference.v, current, precisely()))
          EXPECT_EQ(result.status, SolveStatus::converged) << name << ", n = " << n;
        EXPECT_LE(testing::relative_difference(current, reference.current), 1e-8)
            << name << ", n = " << n;
      }
  }
}

#if defined(THINWIRE_WITH_CUDA)
TEST(OwnOperator, IsSolvedOnTheGpuInEveryPlacement) {
  const DeviceReport report = device_report();
  if (!report.problem.empty()) GTEST_SKIP() << report.problem;
  use_device(0);
  for (const std::size_t n : {1, 31, 65, 300}) {
    const LowRankOperator z = low_rank(n);
    const testing::DeviceLowRankOperator on_gpu(z);
    const testing::DeviceDiagonalPreconditioner diagonal(z.diagonal());
    const Reference reference(z);
    for (const auto& [name, recurrence] : testing::every_recurrence)
      for (const auto& [where, placement] : testing::every_placement)
        for (const DevicePreconditioner* m :
             {static_cast<const DevicePreconditioner*>(nullptr),
              static_cast<const DevicePreconditioner*>(&diagonal)})
          for (const std::size_t sides : {1, 3}) {
            std::vector<Complex> current(sides * n);
            const auto v = std::span(reference.v).first(sides * n);
            for (const SolveResult& result :
                 solve_sides(recurrence, on_gpu, m, v, current, precisely(), placement))
              EXPECT_EQ(result.status, SolveStatus::converged)
                  << name << ", " << where << ", n = " << n;
            EXPECT_LE(testing::relative_difference(
                          current, std::span(reference.current).first(sides * n)),
                      1e-8)
                << name << ", " << where << ", n = " << n;
          }
  }
}
#endif

}  // namespace
}  // namespace thinwire
