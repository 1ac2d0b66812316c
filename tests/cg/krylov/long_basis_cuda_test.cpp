#include "cg/krylov/device_solver.h"
#include "kernels/base/constants.h"
#include "tests/cg/packed_system.h"

namespace thinwire {
namespace {

using namespace testing;

using DeviceLongBasis = testing::OnDevice;

/// Eigenvalues all around the unit circle: no polynomial of a degree below n is small on
/// them, so that GMRES needs all n vectors, more than its kernels hold sums of.
TEST_F(DeviceLongBasis, OfMoreThanAThousandVectorsIsStillOrthogonal) {
  constexpr std::size_t n = 1100;
  std::vector<Complex> entries(n * n), eigenvalue(n);
  for (std::size_t i = 0; i < n; ++i)
    entries[i + i * n] = eigenvalue[i] =
        std::polar(1.0, 2 * pi * static_cast<double>(i) / static_cast<double>(n));
  const OnGpu z(DenseOperator(n, std::move(entries)));
  const std::vector<Complex> v = random_vector(n, 90);
  SolverControl control;
  control.tolerance = 1e-8;
  for (const Placement placement : {Placement::resident, Placement::graph}) {
    std::vector<Complex> current(n), expected = v;
    for (std::size_t i = 0; i < n; ++i) expected[i] /= eigenvalue[i];
    const SolveResult result =
        solve(Recurrence::gmres, z.product, nullptr, v, current, control, placement);
    EXPECT_EQ(result.status, SolveStatus::converged);
    EXPECT_GT(result.iterations, 1024);
    EXPECT_LE(result.iterations, static_cast<int>(n));
    EXPECT_LT(relative_difference(current, expected), 1e-7);
  }
}

TEST_F(DeviceLongBasis, StartsAnewWhereItIsToBeShort) {
  const DenseOperator dense = testing::random_symmetric(300, 91, {1.1, 0.3});
  const OnGpu z(dense);
  const std::vector<Complex> v = random_vector(300, 92);
  SolverControl control;
  control.tolerance = 1e-8;
  control.restart = 7;
  std::vector<Complex> expected(300);
  const SolveResult cpu = solve(Recurrence::gmres, dense, nullptr, v, expected, control);
  ASSERT_EQ(cpu.restarted_after, 7);
  for (const Placement placement : {Placement::resident, Placement::graph}) {
    std::vector<Complex> current(300);
    const SolveResult result =
        solve(Recurrence::gmres, z.product, nullptr, v, current, control, placement);
    EXPECT_EQ(result.status, SolveStatus::converged);
    EXPECT_EQ(result.restarted_after, 7);
    EXPECT_LT(relative_difference(current, expected), 1e-7);
  }
}

}  // namespace
}  // namespace thinwire
