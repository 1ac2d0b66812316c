#include <gtest/gtest.h>

#include "cg/krylov/device_solver.h"
#include "papers/sparse/sparse_operator.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/papers/sparse/sparse_gmres.h"

namespace thinwire {
namespace {

using namespace testing;
using SparseGmresOnDevice = OnDevice;

TEST_F(SparseGmresOnDevice, EveryFormatAsOnTheCpu) {
  const Csr<double> matrix = with_diagonal(symmetric_matrix<double>(900), 12);
  const std::vector<Complex> b = random_vector<Complex>(900, 8);
  std::vector<Complex> reference(900);
  const SolveResult on_cpu =
      solve(Recurrence::gmres, SparseOperator<double>(sparse_method_named("csr"), matrix),
            nullptr, b, reference, to_1e_10());
  for (const SparseMethod& method : sparse_methods()) {
    const DeviceSparseOperator<double> z(method, matrix);
    std::vector<Complex> x(900);
    const SolveResult result =
        solve(Recurrence::gmres, z, nullptr, b, x, to_1e_10(), Placement::resident);
    EXPECT_EQ(result.status, SolveStatus::converged) << method.name;
    EXPECT_LT(true_residual(matrix, b, x), 1e-10) << method.name;
    EXPECT_NEAR(result.iterations, on_cpu.iterations, 1) << method.name;
  }
}

}  // namespace
}  // namespace thinwire
