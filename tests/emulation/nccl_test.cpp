#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <nccl.h>

#include <future>
#include <vector>

/// Ranks as threads, which give each other more than a letterbox holds.
namespace {

constexpr std::size_t bytes = 200'000;

char pattern(int rank, std::size_t i) {
  return static_cast<char>(31 * rank + i % 101);
}

struct Rank {
  int rank;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  std::vector<char> mine, got;

  Rank(const ncclUniqueId& id, int ranks, int rank_) : rank(rank_), got(bytes) {
    cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0);
    EXPECT_EQ(ncclCommInitRank(&comm, ranks, id, rank), ncclSuccess);
    for (std::size_t i = 0; i < bytes; ++i) mine.push_back(pattern(rank, i));
  }
  ~Rank() {
    cudaStreamDestroy(stream);
    ncclCommAbort(comm);
  }
  /// Returns the number of bytes that are not those of that rank.
  std::size_t wrong(int of) {
    cudaStreamSynchronize(stream);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < bytes; ++i) wrong += got[i] != pattern(of, i);
    return wrong;
  }
};

/// Calls `what` with each of three ranks, on a thread each.
template <class What>
void on_three_ranks(What what) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<std::future<void>> threads;
  for (int r = 0; r < 3; ++r)
    threads.push_back(std::async(std::launch::async, [&, r] {
      Rank rank(id, 3, r);
      what(rank);
    }));
  for (auto& thread : threads) thread.get();
}

TEST(EmulatedNccl, RanksExchangeInAGroup) {
  on_three_ranks([](Rank& me) {
    const int next = (me.rank + 1) % 3, before = (me.rank + 2) % 3;
    ncclGroupStart();
    ncclSend(me.mine.data(), bytes, ncclChar, next, me.comm, me.stream);
    ncclRecv(me.got.data(), bytes, ncclChar, before, me.comm, me.stream);
    ncclGroupEnd();
    EXPECT_EQ(me.wrong(before), 0u);
  });
}

TEST(EmulatedNccl, MessagesOfTwoRanksKeepTheirOrder) {
  on_three_ranks([](Rank& me) {
    constexpr std::size_t half = bytes / 2;
    if (me.rank == 0) {
      ncclGroupStart();
      ncclSend(me.mine.data(), half, ncclChar, 2, me.comm, me.stream);
      ncclSend(me.mine.data() + half, half, ncclChar, 2, me.comm, me.stream);
      ncclGroupEnd();
    } else if (me.rank == 2) {
      ncclRecv(me.got.data(), half, ncclChar, 0, me.comm, me.stream);
      ncclRecv(me.got.data() + half, half, ncclChar, 0, me.comm, me.stream);
      EXPECT_EQ(me.wrong(0), 0u);
    }
    cudaStreamSynchronize(me.stream);
  });
}

TEST(EmulatedNccl, BroadcastsFromEachRank) {
  on_three_ranks([](Rank& me) {
    for (int root = 0; root < 3; ++root) {
      ncclBroadcast(me.mine.data(), me.got.data(), bytes, ncclChar, root, me.comm,
                    me.stream);
      EXPECT_EQ(me.wrong(root), 0u);
    }
  });
}

}  // namespace
