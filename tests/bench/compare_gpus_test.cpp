#include "bench/compare_gpus.h"

#include <gtest/gtest.h>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// Products at 1e9 entries a second and GPU, and a millisecond of exchange beside them.
MultiGpuProductTimes perfect_but_for_the_exchange(std::size_t n, std::size_t gpus) {
  const double all = static_cast<double>(n) * static_cast<double>(n);
  MultiGpuProductTimes times;
  times.sum.median_s = gpus > 1 ? 1e-3 : 0;
  times.product.median_s = all / (1e9 * static_cast<double>(gpus)) + times.sum.median_s;
  return times;
}

TEST(CompareGpus, StrongRowsKeepTheMatrixAndWeakOnesItsPartOnEach) {
  const GpuScaling scaling = compare_gpus({1, 2, 4}, 1000, perfect_but_for_the_exchange);
  const std::size_t weak[] = {1000, 1414, 2000};
  ASSERT_EQ(scaling.strong.size(), 3u);
  ASSERT_EQ(scaling.weak.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(scaling.strong[i].unknowns, 1000u);
    EXPECT_EQ(scaling.weak[i].unknowns, weak[i]);
    EXPECT_EQ(scaling.weak[i].gpus, std::size_t{1} << i);
  }
}

TEST(CompareGpus, EfficiencyIsOfTheFirstRow) {
  const GpuScaling scaling = compare_gpus({1, 4}, 2000, perfect_but_for_the_exchange);
  const std::vector<Table> tables = gpu_scaling_tables(scaling);
  // 4 ms on one; 1 + 1 ms on four.
  const auto& columns = tables[0].columns();
  EXPECT_EQ(columns[4].name, "speed_up");
  EXPECT_NEAR(columns[4].numbers[1], 2, 1e-12);
  EXPECT_EQ(columns[5].name, "efficiency");
  EXPECT_NEAR(columns[5].numbers[1], 0.5, 1e-12);
  // 4 + 1 ms for four times as much.
  EXPECT_NEAR(tables[1].columns()[5].numbers[1], 0.8, 1e-12);
  EXPECT_NEAR(gpu_scaling_plots(scaling)[0].series[1].y[1], 80, 1e-9);
}

TEST(CompareGpus, StopsWhenAsked) {
  const Monitor monitor(
      [](const Progress&) { throw Error(ErrorKind::interrupted, "enough"); });
  EXPECT_THROW(compare_gpus({1}, 100, perfect_but_for_the_exchange, monitor), Error);
}

}  // namespace
}  // namespace thinwire
