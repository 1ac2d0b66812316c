#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "cg/krylov/device_solver.h"
#include "cg/precondition/device_two_level_schwarz.h"
#include "cg/precondition/two_level_schwarz.h"
#include "kernels/base/error.h"
#include "tests/cg/coarse_systems.h"
#include "tests/cg/overlapping_sets.h"
#include "tests/cg/packed_system.h"

namespace thinwire {
namespace {

using namespace testing;

using DeviceTwoLevels = testing::OnDevice;

/// Both, on one system.
struct TwoLevels {
  DenseOperator z;
  Csr<double> p;
  std::vector<Complex> coarse;
  OnGpu on_gpu, coarse_on_gpu;
  TwoLevelSchwarz cpu;
  DeviceTwoLevelSchwarz gpu;

  TwoLevels(std::uint32_t n, std::size_t functions)
      : z(random_symmetric(n, 81, {1.2, 0.9})),
        p(hats(n, functions)),
        coarse(galerkin(z, p)),
        on_gpu(z),
        coarse_on_gpu({functions, coarse}, Storage::complex_single),
        cpu(z,
            std::make_unique<OverlapPreconditioner>(interleaved(n, n / 5), reader_of(z)),
            p, coarse),
        gpu(on_gpu.product,
            std::make_unique<DeviceOverlapPreconditioner>(interleaved(n, n / 5),
                                                          block_reader(on_gpu.tiles)),
            p, transposed(p), coarse_on_gpu.tiles) {}
};

TEST_F(DeviceTwoLevels, ApplyWhatTheCpuDoes) {
  for (const auto& [n, functions] :
       {std::pair{31u, 3u}, {65u, 7u}, {257u, 64u}, {1000u, 130u}}) {
    const TwoLevels of(n, functions);
    EXPECT_FALSE(of.gpu.symmetric());
    EXPECT_EQ(of.gpu.size(), n);
    EXPECT_EQ(of.gpu.coarse_functions(), functions);
    const std::vector<Complex> r = random_vector(n, 82);
    std::vector<Complex> expected(n), got(n, Complex(7, -7)), again(n);
    of.cpu.apply(r, expected);
    of.gpu.apply(r, got);
    of.gpu.apply(r, again);
    // The coarse problem is solved in TF32.
    EXPECT_LT(relative_difference(got, expected), 2e-3) << n;
    EXPECT_EQ(got, again) << n;
  }
}

TEST_F(DeviceTwoLevels, TakeTheIterationsOfTheCpu) {
  constexpr std::uint32_t n = 1000;
  const TwoLevels of(n, 40);
  const std::vector<Complex> v = random_vector(n, 83);
  SolverControl control;
  control.flexible = true;
  std::vector<Complex> a(n), b(n);
  const SolveResult on_cpu = solve(Recurrence::gmres, of.z, &of.cpu, v, a, control);
  const SolveResult resident = solve(Recurrence::gmres, of.on_gpu.product, &of.gpu, v, b,
                                     control, Placement::resident);
  EXPECT_EQ(resident.status, SolveStatus::converged);
  EXPECT_NEAR(resident.iterations, on_cpu.iterations, 1);
  EXPECT_LT(relative_difference(b, a), 1e-5);
}

TEST_F(DeviceTwoLevels, RefusePartsThatDoNotFit) {
  const DenseOperator z = random_symmetric(65, 84, {1.2, 0.9});
  const OnGpu on_gpu(z),
      of_three({3, std::vector<Complex>(9, 1)}, Storage::complex_single);
  EXPECT_THROW(
      DeviceTwoLevelSchwarz(on_gpu.product,
                            std::make_unique<DeviceOverlapPreconditioner>(
                                interleaved(65, 10), block_reader(on_gpu.tiles)),
                            hats(65, 7), transposed(hats(65, 7)), of_three.tiles),
      Error);
}

}  // namespace
}  // namespace thinwire
