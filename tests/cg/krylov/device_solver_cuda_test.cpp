#include "cg/krylov/device_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <string>

#include "cg/direct/device_factors.h"
#include "cg/precondition/block_preconditioner.h"
#include "kernels/base/error.h"
#include "tests/cg/blocks_of_20.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/every_recurrence.h"
#include "tests/cg/packed_system.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using namespace testing;

/// Blocks of 20 that dominate, of different sizes from block to block.
DenseOperator block_dominant(std::size_t n) {
  const DenseOperator inside = random_symmetric(n, 21, 0);
  std::vector<Complex> a = random_symmetric(n, 22, 0).entries();
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i)
      if (i / 20 == j / 20)
        a[i + j * n] += (1 + 0.1 * double(j / 20)) *
                        (5.0 * inside.at(i, j) + Complex(i == j, i == j));
  return {n, std::move(a)};
}

using Method = testing::NamedRecurrence;

class DeviceSolver : public OnDevice,
                     public ::testing::WithParamInterface<std::tuple<Method, Placement>> {
 protected:
  const Method& method() const { return std::get<0>(GetParam()); }
  SolveResult on_device(const DeviceOperator& z, const DevicePreconditioner* m,
                        std::span<const Complex> v, std::span<Complex> current,
                        const SolverControl& control) const {
    return solve(method().recurrence, z, m, v, current, control, std::get<1>(GetParam()));
  }
  static std::vector<Complex> poisoned(std::size_t n) {
    // A start that is far off: the solvers begin from what `current` holds.
    return random_vector(n, 13);
  }
};
INSTANTIATE_TEST_SUITE_P(
    Placements, DeviceSolver,
    ::testing::Combine(::testing::ValuesIn(testing::every_recurrence),
                       ::testing::Values(Placement::resident, Placement::graph)),
    [](const auto& test) {
      return std::string(std::get<0>(test.param).name) +
             (std::get<1>(test.param) == Placement::graph ? "_graph" : "_resident");
    });

TEST_P(DeviceSolver, HasTheIterationsAndHistoryOfTheCpu) {
  for (const std::size_t n : {1, 31, 33, 63, 65, 257, 1000}) {
    const DenseOperator z = random_symmetric(n, 11, {0.9, 0.9});
    const OnGpu gpu(z);
    const std::vector<Complex> v = random_vector(n, 12);
    std::vector<Complex> on_cpu = poisoned(n), on_gpu = on_cpu;
    const SolveResult cpu = solve(method().recurrence, z, nullptr, v, on_cpu, to(1e-6));
    const SolveResult device = on_device(gpu.product, nullptr, v, on_gpu, to(1e-6));
    expect_same_history(device, cpu);
    EXPECT_LE(relative_residual(z, on_gpu, v), 1e-6) << n;
    EXPECT_LE(relative_difference(on_gpu, on_cpu), 1e-8) << n;
  }
}

TEST_P(DeviceSolver, HasTheHistoryOfTheCpuWithBlocks) {
  const std::size_t n = 390;  // the last block is half as long
  const DenseOperator z = block_dominant(n);
  const OnGpu gpu(z);
  const BlockPreconditioner m(sets_of_20(n), entries_of(z));
  const DeviceBlockPreconditioner device_m(gpu.tiles, sets_of_20(n));
  const std::vector<Complex> v = random_vector(n, 12);
  std::vector<Complex> on_cpu(n), on_gpu(n), plain(n);
  const SolveResult cpu = solve(method().recurrence, z, &m, v, on_cpu, to(1e-6));
  const SolveResult device = on_device(gpu.product, &device_m, v, on_gpu, to(1e-6));
  expect_same_history(device, cpu);
  EXPECT_EQ(device.status, SolveStatus::converged);
  EXPECT_LE(relative_residual(z, on_gpu, v), 1e-6);
  const SolveResult without =
      on_device(gpu.product, nullptr, v, plain, to(1e-6, 5 * device.iterations));
  EXPECT_GT(without.iterations, 2 * device.iterations);
}

TEST_P(DeviceSolver, GoesToTheLastDigits) {
  const std::size_t n = 300;
  const DenseOperator z = random_symmetric(n, 16, {0.9, 0.9});
  const OnGpu gpu(z);
  const std::vector<Complex> v = random_vector(n, 17);
  std::vector<Complex> current(n);
  const SolveResult result = on_device(gpu.product, nullptr, v, current, to(1e-12));
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LE(relative_residual(z, current, v), 1.01e-12);
  EXPECT_LE(relative_difference(current, testing::lapack_solution(z, v)), 1e-10);
}

TEST_P(DeviceSolver, GivesTheSameBitsTwice) {
  const std::size_t n = 700;
  const DenseOperator z = random_symmetric(n, 16, {0.5, 0.5});
  const OnGpu gpu(z);
  const DeviceBlockPreconditioner m(gpu.tiles, sets_of_20(n));
  const std::vector<Complex> v = random_vector(n, 17);
  std::vector<Complex> first(n), second(n);
  const SolveResult a = on_device(gpu.product, &m, v, first, to(1e-8));
  const SolveResult b = on_device(gpu.product, &m, v, second, to(1e-8));
  EXPECT_EQ(first, second);
  EXPECT_EQ(a.residual_history, b.residual_history);
}

TEST_P(DeviceSolver, StopsAtTheIterationLimit) {
  const DenseOperator z = random_symmetric(200, 16, {0.5, 0.5});
  const OnGpu gpu(z);
  const std::vector<Complex> v = random_vector(200, 17);
  std::vector<Complex> on_cpu(200), on_gpu(200);
  // Not a multiple of the iterations in the body of the graph.
  const SolveResult cpu = solve(method().recurrence, z, nullptr, v, on_cpu, to(1e-12, 5));
  const SolveResult device = on_device(gpu.product, nullptr, v, on_gpu, to(1e-12, 5));
  EXPECT_EQ(device.status, SolveStatus::max_iterations);
  EXPECT_EQ(device.iterations, 5);
  EXPECT_NEAR(device.relative_residual, cpu.relative_residual, 1e-12);
  EXPECT_LE(relative_difference(on_gpu, on_cpu), 1e-12);
}

TEST_P(DeviceSolver, ReportsEachIterationAndStopsWhenAsked) {
  const DenseOperator z = random_symmetric(200, 16, {0.5, 0.5});
  const OnGpu gpu(z);
  const std::vector<Complex> v = random_vector(200, 17);
  std::vector<Complex> current(200);
  std::atomic<bool> stop = false;
  SolverControl control = to(1e-14);
  int last = 0;
  control.monitor = Monitor({}, &stop);
  control.on_iteration = [&](int iteration, double residual, Complex) {
    EXPECT_EQ(iteration, last + 1);
    EXPECT_GT(residual, 0);
    last = iteration;
    if (iteration == 3) stop = true;
  };
  EXPECT_EQ(
      test::error_kind([&] { on_device(gpu.product, nullptr, v, current, control); }),
      ErrorKind::interrupted);
  EXPECT_EQ(last, 3);
  for (const Complex& value : current) EXPECT_TRUE(std::isfinite(value.real()));
}

TEST_P(DeviceSolver, AZeroRightHandSideGivesZero) {
  const DenseOperator z = random_symmetric(50, 16, {0.9, 0.9});
  const OnGpu gpu(z);
  std::vector<Complex> current = random_vector(50, 13);
  const SolveResult result =
      on_device(gpu.product, nullptr, std::vector<Complex>(50), current, to(1e-6));
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(current, std::vector<Complex>(50));
}

TEST_P(DeviceSolver, ANumberThatIsNotOneIsABreakdown) {
  std::vector<Complex> a = random_symmetric(80, 16, {0.9, 0.9}).entries();
  a[7 + 7 * 80] = std::numeric_limits<double>::quiet_NaN();
  const OnGpu gpu(DenseOperator(80, std::move(a)));
  std::vector<Complex> current(80);
  const SolveResult result =
      on_device(gpu.product, nullptr, random_vector(80, 17), current, to(1e-6));
  EXPECT_EQ(result.status, SolveStatus::breakdown);
}

TEST_P(DeviceSolver, RunsOnSingleStorageToItsOwnResidual) {
  const std::size_t n = 257;
  const DenseOperator z = random_symmetric(n, 11, {0.9, 0.9});
  const OnGpu gpu(z, Storage::complex_single);
  const std::vector<Complex> v = random_vector(n, 12);
  std::vector<Complex> current(n);
  const SolveResult result = on_device(gpu.product, nullptr, v, current, to(1e-10));
  EXPECT_EQ(result.status, SolveStatus::converged);
  // The matrix was rounded to 24 bits, the sums were not.
  const double off = relative_residual(z, current, v);
  EXPECT_LE(off, 1e-6);
  EXPECT_GE(off, 1e-9);
}

TEST_P(DeviceSolver, TakesAPreconditionerThatIsNotMadeOfBlocks) {
  const std::size_t n = 700;
  const DenseOperator z = random_symmetric(n, 11, {1.2, 0.9});
  const OnGpu gpu(z);
  const DeviceLdlt m(gpu.tiles, LdltProducts::single);
  const std::vector<Complex> v = random_vector(n, 12);
  std::vector<Complex> current(n);
  // COCR carries M r along instead of making it anew, and with it M's rounding.
  const double tolerance = method().recurrence == Recurrence::cocr ? 1e-5 : 1e-10;
  SolverControl control = to(tolerance);
  control.flexible = true;
  const SolveResult result = on_device(gpu.product, &m, v, current, control);
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LE(relative_residual(z, current, v), 1.01 * tolerance);
  EXPECT_LE(result.iterations, 10);
}

TEST_P(DeviceSolver, FlexibleHasTheHistoryOfTheCpu) {
  const std::size_t n = 390;
  const DenseOperator z = block_dominant(n);
  const OnGpu gpu(z);
  const BlockPreconditioner m(sets_of_20(n), entries_of(z));
  const DeviceBlockPreconditioner device_m(gpu.tiles, sets_of_20(n));
  const std::vector<Complex> v = random_vector(n, 12);
  std::vector<Complex> on_cpu(n), on_gpu(n);
  SolverControl control = to(1e-6);
  control.flexible = true;
  const SolveResult cpu = solve(method().recurrence, z, &m, v, on_cpu, control);
  expect_same_history(on_device(gpu.product, &device_m, v, on_gpu, control), cpu);
  EXPECT_LE(relative_difference(on_gpu, on_cpu), 1e-8);
}

using DeviceOperatorTest = testing::OnDevice;

TEST_F(DeviceOperatorTest, ServesTheSolversOfTheCpu) {
  const std::size_t n = 257;
  const DenseOperator z = random_symmetric(n, 11, {0.9, 0.9});
  const OnGpu gpu(z);
  const DeviceBlockPreconditioner m(gpu.tiles, sets_of_20(n));
  const std::vector<Complex> v = random_vector(n, 12);
  for (const Method& method : testing::every_recurrence) {
    std::vector<Complex> on_cpu(n), on_gpu(n);
    const BlockPreconditioner cpu_m(sets_of_20(n), entries_of(z));
    const SolveResult cpu = solve(method.recurrence, z, &cpu_m, v, on_cpu, to(1e-6));
    const SolveResult device =
        solve(method.recurrence, gpu.product, &m, v, on_gpu, to(1e-6));
    expect_same_history(device, cpu);
    EXPECT_LE(relative_difference(on_gpu, on_cpu), 1e-8) << method.name;
  }
}

using DeviceBlocks = testing::OnDevice;

TEST_F(DeviceBlocks, AgreeWithTheCpuForSetsOfAnySizeAndOrder) {
  const std::size_t n = 500;
  // Pivoting matters: the diagonal is zero.
  std::vector<Complex> a = random_symmetric(n, 31, 0).entries();
  for (std::size_t i = 0; i < n; ++i) a[i + i * n] = 0;
  const DenseOperator z(n, std::move(a));
  const OnGpu gpu(z);
  std::vector<BlockPreconditioner::IndexSet> sets(4);
  for (std::uint32_t i = 0; i < n; ++i)
    sets[i < 2        ? 0
         : i % 7 == 0 ? 1
         : i < 200    ? 2
                      : 3]
        .push_back(static_cast<std::uint32_t>(i));
  std::reverse(sets[2].begin(), sets[2].end());
  const BlockPreconditioner m(sets, entries_of(z));
  const DeviceBlockPreconditioner device_m(gpu.tiles, sets);
  const std::vector<Complex> r = random_vector(n, 32);
  std::vector<Complex> on_cpu(n), on_gpu(n);
  m.apply(r, on_cpu);
  device_m.apply(r, on_gpu);
  EXPECT_LE(relative_difference(on_gpu, on_cpu), 1e-10);
}

TEST_F(DeviceBlocks, ASingularBlockIsAnError) {
  std::vector<Complex> a(16, 0);
  for (const std::size_t i : {0, 1, 4, 5}) a[i] = {2, 1};  // rank one
  for (const std::size_t i : {10, 15}) a[i] = 1;
  const OnGpu gpu(DenseOperator(4, std::move(a)));
  const std::vector<BlockPreconditioner::IndexSet> sets = {{0, 1}, {2, 3}};
  EXPECT_TRUE(contains(
      test::error_message(ErrorKind::numeric,
                          [&] { const DeviceBlockPreconditioner m(gpu.tiles, sets); }),
      "singular"));
}

TEST_F(DeviceBlocks, SetsMustPartitionTheUnknowns) {
  const OnGpu gpu(random_symmetric(4, 1, 1));
  using Sets = std::vector<BlockPreconditioner::IndexSet>;
  for (const Sets& sets :
       {Sets{{0, 1}, {2}}, Sets{{0, 1, 2}, {2, 3}}, Sets{{0, 1, 2, 3, 4}}, Sets{{}}})
    EXPECT_THROW(DeviceBlockPreconditioner(gpu.tiles, sets), Error);
}

#if !defined(THINWIRE_WITH_CUDA)
TEST(WithoutCuda, AskingForAGpuSaysSo) {
  EXPECT_TRUE(contains(
      test::error_message(
          ErrorKind::device,
          [&] { const DeviceTiles tiles(PackedTiles{10}, Storage::complex_double); }),
      "-DTHINWIRE_CUDA=on"));
}
#endif

}  // namespace
}  // namespace thinwire
