#include "mom/plan/gpus.h"

#include <gtest/gtest.h>

#include <vector>

namespace thinwire {
namespace {

constexpr std::size_t gib = std::size_t{1} << 30;

DeviceInfo gpu(int index, std::size_t free_bytes, int multiprocessors = 132) {
  DeviceInfo info;
  info.index = index;
  info.name = "NVIDIA H200";
  info.multiprocessors = multiprocessors;
  info.free_bytes = free_bytes;
  return info;
}

TEST(Gpus, AreNamedTogether) {
  Plan choice;
  name_gpus(choice, std::vector{gpu(2, 0), gpu(0, 0)});
  EXPECT_TRUE(choice.gpu);
  EXPECT_EQ(choice.index, 2);
  EXPECT_EQ(choice.gpus, (std::vector<int>{2, 0}));
  EXPECT_EQ(choice.device, "cuda:2,0 NVIDIA H200");
  EXPECT_EQ(short_name(choice), "cuda:2,0");
}

TEST(Gpus, ShareByTheirRatesWithinTheirMemory) {
  Plan choice;
  choice.matrix_bytes = 100 * gib;
  const std::size_t beside = 10 * gib;
  const std::vector<double> alike = {1, 1};
  const auto set = [&](std::vector<DeviceInfo> gpus, const std::vector<double>& rates) {
    return set_gpu_weights(choice, gpus, rates, beside);
  };
  EXPECT_TRUE(set({gpu(0, 140 * gib), gpu(1, 140 * gib)}, alike));
  EXPECT_EQ(choice.gpu_weights, (std::vector<double>{0.5, 0.5}));
  // One is half as fast.
  EXPECT_TRUE(set({gpu(0, 140 * gib), gpu(1, 140 * gib)}, {1, 0.5}));
  EXPECT_NEAR(choice.gpu_weights[0], 2.0 / 3, 1e-12);
  // Another program takes most of one: it gets what fits, 1/5, in steps of 1/32.
  EXPECT_TRUE(set({gpu(0, 30 * gib), gpu(1, 140 * gib)}, alike));
  EXPECT_EQ(choice.gpu_weights, (std::vector<double>{6.0 / 32, 26.0 / 32}));
  // However fast it is.
  EXPECT_TRUE(set({gpu(0, 30 * gib), gpu(1, 140 * gib)}, {1, 0.125}));
  EXPECT_EQ(choice.gpu_weights, (std::vector<double>{6.0 / 32, 26.0 / 32}));
  // Together they have too little.
  EXPECT_FALSE(set({gpu(0, 30 * gib), gpu(1, 60 * gib)}, alike));
}

TEST(Gpus, ALittleMoreFreeMemoryLeavesTheSharesAsTheyAre) {
  Plan choice;
  choice.matrix_bytes = 100 * gib;
  const std::vector<double> alike = {1, 1};
  std::vector<double> before;
  for (const std::size_t more : {std::size_t{0}, gib / 64, gib / 2}) {
    EXPECT_TRUE(set_gpu_weights(
        choice, std::vector{gpu(0, 30 * gib + more), gpu(1, 140 * gib - more)}, alike,
        10 * gib));
    if (!before.empty()) {
      EXPECT_EQ(choice.gpu_weights, before);
    }
    before = choice.gpu_weights;
  }
}

TEST(Gpus, SlowerOnesAreSaidAndCountForLess) {
  const std::vector gpus = {gpu(0, 0), gpu(1, 0), gpu(3, 0)};
  EXPECT_EQ(uneven_rates(gpus, std::vector<double>{1, 1, 1}), "");
  EXPECT_EQ(uneven_rates(gpus, std::vector<double>{1, 0.75, 0.5}),
            "cuda:1 multiplies at 0.75, cuda:3 multiplies at 0.5 of the rate of the "
            "fastest GPU");
  EXPECT_DOUBLE_EQ(joint_rate(gpus, std::vector<double>{1, 0.75, 0.5}), 2.25);
  EXPECT_DOUBLE_EQ(joint_rate(std::vector{gpu(0, 0, 66)}, std::vector<double>{1}), 0.5);
}

TEST(Gpus, ShareTheFieldsOfWhatTheFirstSolvesAlone) {
  Plan choice;
  choice.field_seconds = 9;
  choice.solver.why = "before";
  share_fields(choice, std::vector{gpu(1, 0), gpu(0, 0)}, std::vector<double>{1, 0.5});
  EXPECT_DOUBLE_EQ(choice.field_seconds, 6);
  EXPECT_EQ(choice.gpus, (std::vector<int>{1, 0}));
  EXPECT_EQ(choice.index, 1);
  EXPECT_EQ(choice.gpu_weights, (std::vector<double>{1, 0.5}));
  EXPECT_EQ(choice.solver.why,
            "cuda:1 solves, all GPUs share the fields; cuda:0 multiplies at 0.5 of the "
            "rate of the fastest GPU; before");
  // Where one has been named before, the names are not taken twice.
  share_fields(choice, std::vector{gpu(1, 0), gpu(0, 0)}, std::vector<double>{1, 1});
  EXPECT_EQ(choice.gpus.size(), 2u);
}

TEST(Gpus, OneAloneFitsWhereItHasTheMemory) {
  const std::vector<double> rate = {1};
  Plan choice;
  choice.matrix_bytes = 100 * gib;
  EXPECT_TRUE(set_gpu_weights(choice, std::vector{gpu(0, 110 * gib)}, rate, 10 * gib));
  EXPECT_FALSE(set_gpu_weights(choice, std::vector{gpu(0, 109 * gib)}, rate, 10 * gib));
  EXPECT_EQ(choice.gpu_weights, std::vector<double>{1});
}

}  // namespace
}  // namespace thinwire
