#include "cg/rank_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include <omp.h>

namespace thinwire {
namespace {

TEST(RankThreads, EachRankKeepsItsThreadAndTheFirstIsTheCaller) {
  RankThreads threads(3);
  std::vector<std::thread::id> ids(3), again(3);
  const auto take = [](std::vector<std::thread::id>& to) {
    return [&to](const Comm& comm) {
      EXPECT_EQ(comm.ranks(), 3);
      to[static_cast<std::size_t>(comm.rank())] = std::this_thread::get_id();
    };
  };
  threads.run(take(ids));
  threads.run(take(again));
  EXPECT_EQ(ids[0], std::this_thread::get_id());
  EXPECT_NE(ids[1], ids[2]);
  EXPECT_EQ(ids, again);
}

TEST(RankThreads, ShareOutTheCallersThreads) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(6);
  std::vector<int> threads(3);
  RankThreads(3).run([&](const Comm& comm) {
    threads[static_cast<std::size_t>(comm.rank())] = omp_get_max_threads();
  });
  EXPECT_EQ(threads, std::vector<int>(3, 2));
  EXPECT_EQ(omp_get_max_threads(), 6);
  omp_set_num_threads(before);
}

TEST(RankThreads, TheFirstFailureEndsAllAndTheyCanGoOn) {
  RankThreads threads(4);
  for (int failing = 0; failing < 4; ++failing) {
    std::atomic<int> waited = 0;
    try {
      threads.run([&](const Comm& comm) {
        double value = 1;
        comm.sum(value);
        if (comm.rank() == failing) throw std::invalid_argument("no memory");
        ++waited;
        comm.sum(value);
        --waited;
      });
      FAIL() << "nothing was thrown";
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(error.what(), "no memory");
    }
    EXPECT_EQ(waited, 3);
    EXPECT_TRUE(threads.failed());
    threads.run([&](const Comm& comm) {
      double value = comm.rank();
      comm.sum(value);
      EXPECT_EQ(value, 6);
    });
    EXPECT_FALSE(threads.failed());
  }
}

}  // namespace
}  // namespace thinwire
