#include "cg/device_direct.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dense_system.h"
#include "kernels/error.h"
#include "packed_system.h"

namespace thinwire {
namespace {

using testing::DenseOperator;
using testing::lapack_solution;
using testing::OnGpu;
using testing::random_symmetric;
using testing::random_vector;
using testing::relative_difference;
using testing::relative_residual;

SolverControl to(double tolerance) {
  SolverControl control;
  control.tolerance = tolerance;
  return control;
}

using DeviceDirect = testing::OnDeviceTest;

TEST_F(DeviceDirect, LuAgreesWithLapack) {
  for (const std::size_t n : {1, 31, 33, 63, 65, 257, 1000}) {
    const DenseOperator z = random_symmetric(n, 11, 0.1);
    const OnGpu gpu(z);
    const std::vector<Complex> v = random_vector(n, 12);
    std::vector<Complex> current = v;
    DeviceLu(gpu.tiles).solve(current);
    EXPECT_LE(relative_difference(current, lapack_solution(z, v)), 1e-11) << n;
  }
}

TEST_F(DeviceDirect, LdltAloneHasAboutThreeDigits) {
  // 700: two panels, the second cut short.
  for (const std::size_t n : {1, 31, 33, 63, 65, 257, 700, 1100}) {
    const DenseOperator z = random_symmetric(n, 11, {1.2, 0.9});
    const OnGpu gpu(z);
    const std::vector<Complex> v = random_vector(n, 12);
    std::vector<Complex> current(n);
    DeviceLdlt(gpu.tiles).apply(v, current);
    EXPECT_LE(relative_difference(current, lapack_solution(z, v)), 1e-2) << n;
  }
}

TEST_F(DeviceDirect, RefinementReachesTheLastDigits) {
  for (const std::size_t n : {65, 700, 1100}) {
    const DenseOperator z = random_symmetric(n, 11, {1.2, 0.9});
    const OnGpu gpu(z);
    const std::vector<Complex> v = random_vector(n, 12);
    std::vector<Complex> current(n, std::nan(""));
    DeviceDirectSolver solver(gpu.product);
    const SolveResult result = solver.solve(v, current, to(1e-12));
    EXPECT_EQ(result.status, SolveStatus::converged) << n;
    EXPECT_GT(result.iterations, 0) << n;
    EXPECT_LE(result.iterations, 12) << n;
    EXPECT_LE(relative_residual(z, current, v), 1.01e-12) << n;
  }
}

TEST_F(DeviceDirect, PivotsWithinABlockAreFound) {
  // Zero diagonal, one block: no elimination in the given order.
  std::vector<Complex> a(16, 0);
  for (int i = 0; i < 4; ++i) a[i + 4 * (3 - i)] = {0, double(i < 2 ? i + 1 : 4 - i)};
  const DenseOperator z(4, std::move(a));
  const OnGpu gpu(z);
  const std::vector<Complex> v = random_vector(4, 12);
  std::vector<Complex> current(4);
  DeviceDirectSolver solver(gpu.product);
  EXPECT_EQ(solver.solve(v, current, to(1e-12)).status, SolveStatus::converged);
  EXPECT_LE(relative_difference(current, lapack_solution(z, v)), 1e-10);
}

TEST_F(DeviceDirect, FallsBackToLuWhereBlocksAreSingular) {
  // Z = [0, I; I, 0] of order 2 * 512 and more: its first panel is zero.
  const std::size_t n = 1100;
  std::vector<Complex> a(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) a[i + n * (n - 1 - i)] = {1, 0.5};
  const DenseOperator z(n, std::move(a));
  const OnGpu gpu(z);
  const std::vector<Complex> v = random_vector(n, 12);
  std::vector<Complex> current(n);
  DeviceDirectSolver solver(gpu.product);
  const SolveResult result = solver.solve(v, current, to(1e-12));
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_LE(relative_residual(z, current, v), 1e-12);
}

TEST_F(DeviceDirect, ASingularMatrixIsAnError) {
  const OnGpu gpu(DenseOperator(3, std::vector<Complex>(9, 0)));
  EXPECT_THROW(DeviceLu{gpu.tiles}, Error);
}

}  // namespace
}  // namespace thinwire
