#include "bench/scaling_model.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/mom/plan/problem_sizes.h"

namespace thinwire {
namespace {

using namespace test;

// The measured seconds below are those of the tables in docs/measurements/scaling.md.

/// Accuracy that the model must keep.
constexpr double close = 1.15;

TEST(ScalingModel, SumsOverFourGpusAsMeasured) {
  struct Row {
    double bytes, measured_s;
  };
  for (const Row& row :
       {Row{1e5, 24e-6}, Row{2e6, 27e-6}, Row{8e6, 60e-6}, Row{67e6, 319e-6}})
    expect_within(close, all_reduce_seconds(h200_cluster(), 4, row.bytes), row.measured_s,
                  std::to_string(row.bytes) + " bytes");
}

TEST(ScalingModel, TwoGpusAsMeasured) {
  const Cluster cluster = h200_cluster();
  struct Product {
    std::size_t n;
    double measured_s;
  };
  for (const Product& row : {Product{8192, 82.7e-6}, Product{16384, 260.6e-6},
                             Product{32768, 982.6e-6}, Product{65536, 3860.2e-6},
                             Product{98304, 8643.3e-6}, Product{131072, 15332.9e-6}})
    expect_within(close, shared_product_seconds(cluster, 2, row.n, true), row.measured_s,
                  std::to_string(row.n) + " product");
  // Before GPUs did most of a fill's preparation.
  expect_within(close, shared_fill_seconds(cluster, 2, 65520), 0.138, "fill");
  expect_within(close, shared_factor_seconds(cluster, 2, 65520, LdltProducts::tf32),
                1.508, "factors of 65,520");
  expect_within(close, shared_factor_seconds(cluster, 2, 131220, LdltProducts::tf32),
                10.798, "factors of 131,220");
}

// The longest share of each, one after the other on one GPU.
TEST(ScalingModel, SharesOfAFillAsMeasured) {
  const Cluster cluster = h200_cluster();
  for (const auto& [owners, measured_s] :
       {std::pair(1, 0.2387), std::pair(2, 0.1224), std::pair(4, 0.0638)})
    expect_within(close,
                  shared_fill_seconds(cluster, static_cast<std::size_t>(owners), 65520),
                  measured_s, std::to_string(owners) + " shares");
}

TEST(ScalingModel, OneOwnerIsOneGpu) {
  const Cluster cluster = h200_cluster();
  EXPECT_EQ(all_reduce_seconds(cluster, 1, 1e6), 0);
  for (const std::size_t n : {1000u, 30000u, 130000u}) {
    EXPECT_DOUBLE_EQ(shared_product_seconds(cluster, 1, n, true),
                     product_seconds_on_gpu(n, true, 1));
    EXPECT_NEAR(shared_fill_seconds(cluster, 1, n) / fill_seconds_on_gpu(n, 1), 1, 1e-12);
  }
}

TEST(ScalingModel, FactorsOfOneGpuAsItsOwnModel) {
  for (const std::size_t n : {16384u, 65536u}) {
    const double whole = cost_on_gpu(matrix_of(n), direct, as_given(), 1, 1).factor_s;
    expect_within(close, shared_factor_seconds(h200_cluster(), 1, n, LdltProducts::tf32),
                  whole, std::to_string(n));
  }
}

TEST(ScalingModel, MoreOwnersNeverHoldLess) {
  const Cluster cluster = h200_cluster();
  std::size_t before = 0;
  for (std::size_t owners = 1; owners <= 4096; owners *= 2) {
    const std::size_t most = max_shared_unknowns(cluster, owners, 16);
    EXPECT_GT(most, before);
    before = most;
  }
}

TEST(ScalingModel, SmallProductsTurnOver) {
  const Cluster cluster = h200_cluster();
  // 8,192 unknowns are read in 0.13 ms by one GPU; sums over many hosts take as long.
  EXPECT_LT(shared_product_seconds(cluster, 8, 8192, true),
            shared_product_seconds(cluster, 1, 8192, true));
  EXPECT_GT(shared_product_seconds(cluster, 4096, 8192, true),
            shared_product_seconds(cluster, 8, 8192, true));
}

}  // namespace
}  // namespace thinwire
