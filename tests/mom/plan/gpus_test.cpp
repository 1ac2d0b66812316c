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
  DeviceChoice choice;
  name_gpus(choice, std::vector{gpu(2, 0), gpu(0, 0)});
  EXPECT_TRUE(choice.gpu);
  EXPECT_EQ(choice.index, 2);
  EXPECT_EQ(choice.gpus, (std::vector<int>{2, 0}));
  EXPECT_EQ(choice.name, "cuda:2,0 NVIDIA H200");
  EXPECT_EQ(short_name(choice), "cuda:2,0");
}

TEST(Gpus, ShareByTheirRatesWithinTheirMemory) {
  DeviceChoice choice;
  choice.matrix_bytes = 100 * gib;
  const std::size_t beside = 10 * gib;
  EXPECT_TRUE(
      set_gpu_weights(choice, std::vector{gpu(0, 140 * gib), gpu(1, 140 * gib)}, beside));
  EXPECT_EQ(choice.gpu_weights, (std::vector<double>{0.5, 0.5}));
  // One has half the multiprocessors.
  EXPECT_TRUE(set_gpu_weights(
      choice, std::vector{gpu(0, 140 * gib), gpu(1, 140 * gib, 66)}, beside));
  EXPECT_NEAR(choice.gpu_weights[0], 2.0 / 3, 1e-12);
  // Another program takes most of one: it gets what fits.
  EXPECT_TRUE(
      set_gpu_weights(choice, std::vector{gpu(0, 30 * gib), gpu(1, 140 * gib)}, beside));
  EXPECT_NEAR(choice.gpu_weights[0], 0.2, 1e-12);
  EXPECT_NEAR(choice.gpu_weights[1], 0.8, 1e-12);
  // Together they have too little.
  EXPECT_FALSE(
      set_gpu_weights(choice, std::vector{gpu(0, 30 * gib), gpu(1, 60 * gib)}, beside));
}

TEST(Gpus, OneAloneFitsWhereItHasTheMemory) {
  DeviceChoice choice;
  choice.matrix_bytes = 100 * gib;
  EXPECT_TRUE(set_gpu_weights(choice, std::vector{gpu(0, 110 * gib)}, 10 * gib));
  EXPECT_FALSE(set_gpu_weights(choice, std::vector{gpu(0, 109 * gib)}, 10 * gib));
  EXPECT_EQ(choice.gpu_weights, std::vector<double>{1});
}

}  // namespace
}  // namespace thinwire
