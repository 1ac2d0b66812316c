#include "mom/plan/rank_shares.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "kernels/base/error.h"
#include "tests/cg/on_ranks.h"

namespace thinwire {
namespace {

DeviceInfo gpu(int index, const char* name, const char* uuid, std::size_t free_bytes) {
  DeviceInfo info;
  info.index = index;
  info.name = name;
  info.uuid = uuid;
  info.multiprocessors = 132;
  info.free_bytes = free_bytes;
  return info;
}

TEST(RankGpus, AreToldToAllInTheOrderOfTheRanks) {
  testing::on_ranks(3, [](const Comm& ranks) {
    const std::size_t free_bytes =
        1000000007UL * (static_cast<std::size_t>(ranks.rank()) + 1);
    const char* const uuids[] = {"aa", "bb", "cc"};
    // Where each process sees one GPU only, all call it cuda:0.
    const RankGpus of =
        gpus_of_ranks(ranks, gpu(0, "H", uuids[ranks.rank()], free_bytes));
    const std::vector<DeviceInfo>& gpus = of.gpus;
    EXPECT_NO_THROW(require_one_model(of));
    ASSERT_EQ(gpus.size(), 3u);
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_EQ(gpus[r].free_bytes, 1000000007UL * (r + 1));
      EXPECT_EQ(gpus[r].multiprocessors, 132);
      EXPECT_EQ(gpus[r].name, "H");
    }
  });
}

TEST(RankGpus, OneOfSeveralRanksIsDivided) {
  testing::on_ranks(3, [](const Comm& ranks) {
    const bool last = ranks.rank() == 2;
    const auto gpus =
        gpus_of_ranks(ranks, gpu(last ? 1 : 0, "H", last ? "bb" : "aa", 1000)).gpus;
    EXPECT_EQ(gpus[0].free_bytes, 500u);
    EXPECT_EQ(gpus[1].free_bytes, 500u);
    EXPECT_EQ(gpus[2].free_bytes, 1000u);
    EXPECT_EQ(gpus[1].multiprocessors, 66);
    EXPECT_EQ(gpus[2].multiprocessors, 132);
    EXPECT_EQ(gpus[2].index, 1);
  });
}

TEST(RankGpus, OfSeveralModelsAreRefusedOnAllForASharedMatrix) {
  std::atomic<int> refused = 0;
  testing::on_ranks(3, [&](const Comm& ranks) {
    const RankGpus of =
        gpus_of_ranks(ranks, gpu(0, ranks.rank() == 1 ? "A" : "H", "aa", 1000));
    EXPECT_EQ(of.gpus.size(), 3u);
    try {
      require_one_model(of);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      EXPECT_NE(std::string(error.what()).find("rank 1 has another"), std::string::npos)
          << error.what();
      ++refused;
    }
  });
  EXPECT_EQ(refused, 3);
}

TEST(RankGpus, LikeOneOfAHostAreTakenFromItOn) {
  const std::vector<std::string> names = {"H", "A", "H", "H"};
  EXPECT_EQ(gpus_like(2, names), (std::vector{2, 3, 0}));
  EXPECT_EQ(gpus_like(1, names), (std::vector{1}));
  EXPECT_EQ(gpus_like(4, names), (std::vector{4}));
  EXPECT_EQ(gpus_like(0, {}), (std::vector{0}));
}

}  // namespace
}  // namespace thinwire
