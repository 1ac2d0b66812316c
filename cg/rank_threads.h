#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "cg/comm.h"

namespace thinwire {

/// Threads of this process as ranks, each of which does the work of one, for as long as
/// this lives: what a thread has of its own (its GPU, its OpenMP threads) stays. The
/// calling thread is the first rank, so that who listens to a Monitor hears of it from
/// the thread that called.
class RankThreads {
 public:
  explicit RankThreads(int ranks);
  ~RankThreads();
  RankThreads(const RankThreads&) = delete;
  RankThreads& operator=(const RankThreads&) = delete;

  int ranks() const;

  /// Calls work(comm) on all ranks at once, the caller's OpenMP threads shared out among
  /// them, and returns when every one has. Where one throws, the others' calls of their
  /// Comm throw too, so that none waits for it, and what came first is thrown from here.
  using Work = std::function<void(const Comm&)>;
  void run(const Work& work);

  /// Set from the moment when a rank has failed until the next run(): the stop of a
  /// Monitor, for long work between calls of a Comm.
  const std::atomic<bool>& failed() const;

 private:
  struct Meeting;
  class ThreadComm;

  void serve(int rank);
  void call(int rank);

  std::unique_ptr<Meeting> meeting_;
  std::vector<ThreadComm> comms_;
  // Work of the threads; guarded by the meeting's mutex.
  const Work* work_ = nullptr;
  int omp_threads_ = 1;
  int round_ = 0, busy_ = 0;
  bool ending_ = false;
  std::exception_ptr first_error_;
  std::vector<std::thread> threads_;
};

}  // namespace thinwire
