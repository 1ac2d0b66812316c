#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "cg/krylov/device_solver.h"
#include "cg/precondition/block_preconditioner.h"
#include "cg/precondition/two_level.h"
#include "kernels/base/error.h"
#include "tests/cg/blocks_of_20.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/every_recurrence.h"
#include "tests/cg/packed_system.h"
#include "tests/cg/several_rhs.h"

namespace thinwire {
namespace {

using namespace testing;

class DeviceRhs : public OnDevice,
                  public ::testing::WithParamInterface<
                      std::tuple<testing::NamedRecurrence, testing::NamedPlacement>> {
 protected:
  Recurrence recurrence() const { return std::get<0>(GetParam()).recurrence; }
  Placement placement() const { return std::get<1>(GetParam()).placement; }
};
INSTANTIATE_TEST_SUITE_P(
    Placements, DeviceRhs,
    ::testing::Combine(::testing::ValuesIn(testing::every_recurrence),
                       ::testing::ValuesIn(testing::every_placement)),
    [](const auto& test) {
      return std::string(std::get<0>(test.param).name) + "_" +
             std::get<1>(test.param).name;
    });

TEST_P(DeviceRhs, HaveTheHistoriesOfTheCpu) {
  for (const std::size_t n : {33, 257, 1000}) {
    const DenseOperator z = random_symmetric(n, 11, {0.9, 0.9});
    const OnGpu gpu(z);
    const BlockPreconditioner blocks(sets_of_20(n), entries_of(z));
    const DeviceBlockPreconditioner device_blocks(gpu.tiles, sets_of_20(n));
    for (const bool with : {false, true})
      for (const std::size_t count : {2, 3, 4, 5}) {
        SCOPED_TRACE(std::to_string(count) + " sides, n = " + std::to_string(n));
        const SeveralRhs all_rhs(z, count);
        std::vector<Complex> on_cpu = all_rhs.start, on_gpu = all_rhs.start;
        const std::vector<SolveResult> cpu = solve_rhs(
            recurrence(), z, with ? &blocks : nullptr, all_rhs.v, on_cpu, to(1e-6));
        const std::vector<SolveResult> device =
            solve_rhs(recurrence(), gpu.product, with ? &device_blocks : nullptr,
                      all_rhs.v, on_gpu, to(1e-6), placement());
        ASSERT_EQ(device.size(), count);
        for (std::size_t s = 0; s < count; ++s) expect_same_history(device[s], cpu[s]);
        EXPECT_LE(relative_difference(on_gpu, on_cpu), 1e-8);
      }
  }
}

TEST_P(DeviceRhs, GiveTheSameBitsTwice) {
  const DenseOperator z = random_symmetric(700, 16, {0.5, 0.5});
  const OnGpu gpu(z);
  const DeviceTwoLevelPreconditioner m(gpu.tiles, sets_of_20(700), 2);
  const SeveralRhs all_rhs(z, 4);
  std::vector<Complex> first = all_rhs.start, second = all_rhs.start;
  solve_rhs(recurrence(), gpu.product, &m, all_rhs.v, first, to(1e-8), placement());
  solve_rhs(recurrence(), gpu.product, &m, all_rhs.v, second, to(1e-8), placement());
  EXPECT_EQ(first, second);
  for (std::size_t s : {0, 2, 3})
    EXPECT_LE(relative_residual(z, all_rhs.part(first, s), all_rhs.own(s)), 1.01e-8) << s;
}

TEST_P(DeviceRhs, OneThatStagnatesDoesNotKeepTheOthers) {
  // Half of the first V lies outside the range of this singular Z; the second does not.
  const std::size_t n = 300;
  std::vector<Complex> a(n * n, 0);
  for (std::size_t i = 0; i < n / 2; ++i) a[i + i * n] = 1.0 + 0.01 * double(i);
  const DenseOperator z(n, std::move(a));
  const OnGpu gpu(z);
  std::vector<Complex> v(2 * n, {1, 0.5}), current(2 * n);
  std::fill(v.end() - n / 2, v.end(), 0.0);
  const std::vector<SolveResult> results =
      solve_rhs(recurrence(), gpu.product, nullptr, v, current, to(1e-6), placement());
  EXPECT_EQ(results[0].status, SolveStatus::breakdown);
  EXPECT_LT(results[0].iterations, 3000);
  EXPECT_EQ(results[1].status, SolveStatus::converged);
  EXPECT_LE(relative_residual(z, std::span(current).subspan(n), std::span(v).subspan(n)),
            1e-6);
}

TEST_P(DeviceRhs, StopWhenAsked) {
  const DenseOperator z = random_symmetric(200, 16, {0.5, 0.5});
  const OnGpu gpu(z);
  const std::vector<Complex> v = random_vector(3 * 200, 17);
  std::vector<Complex> current(3 * 200);
  std::atomic<bool> stop = false;
  SolverControl control = to(1e-14);
  control.monitor = Monitor({}, &stop);
  control.on_iteration = [&](int iteration, double, Complex) {
    if (iteration == 3) stop = true;
  };
  EXPECT_THROW(
      solve_rhs(recurrence(), gpu.product, nullptr, v, current, control, placement()),
      Error);
  for (const Complex& value : current) EXPECT_TRUE(std::isfinite(value.real()));
}

}  // namespace
}  // namespace thinwire
