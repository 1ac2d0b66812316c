#pragma once

#include <barrier>
#include <exception>
#include <thread>
#include <vector>

#include "cg/comm.h"

namespace thinwire::testing {

/// A rank among threads of this process.
class ThreadComm final : public Comm {
 public:
  using Comm::broadcast;
  using Comm::gather;
  using Comm::sum;

  /// What the ranks have in common.
  struct Meeting {
    explicit Meeting(int ranks) : barrier(ranks), shown(ranks) {}
    std::barrier<> barrier;
    std::vector<std::span<const double>> shown;  ///< [ranks]
  };

  ThreadComm(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}

  int rank() const override { return rank_; }
  int ranks() const override { return static_cast<int>(meeting_.shown.size()); }
  void sum(std::span<double> values) const override {
    std::vector<double> total(values.size());
    show(values, [&] {
      for (const std::span<const double> part : meeting_.shown)
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += part[i];
    });
    std::copy(total.begin(), total.end(), values.begin());
  }
  void gather(std::span<const double> part, std::span<double> whole) const override {
    show(part, [&] {
      auto to = whole.begin();
      for (const std::span<const double> each : meeting_.shown)
        to = std::copy(each.begin(), each.end(), to);
    });
  }
  void broadcast(std::span<double> values, int root) const override {
    show(values, [&] {
      const std::span<const double> from = meeting_.shown[root];
      if (rank_ != root) std::copy(from.begin(), from.end(), values.begin());
    });
  }

 private:
  /// Calls read() between the moment when all ranks have shown theirs and the first one's
  /// going on.
  template <class Read>
  void show(std::span<const double> mine, const Read& read) const {
    meeting_.shown[rank_] = mine;
    meeting_.barrier.arrive_and_wait();
    read();
    meeting_.barrier.arrive_and_wait();
  }

  Meeting& meeting_;
  int rank_;
};

/// Calls run(comm) on every rank, each on a thread of its own.
template <class Run>
void on_ranks(int ranks, const Run& run) {
  ThreadComm::Meeting meeting(ranks);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&meeting, &run, rank] { run(ThreadComm(meeting, rank)); });
}

}  // namespace thinwire::testing
