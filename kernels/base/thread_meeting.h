#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace thinwire {

/// A barrier for threads of which one may fail. They spin at first: the others are mostly
/// a launch away or, while they fill a matrix, seconds.
class ThreadMeeting {
 public:
  explicit ThreadMeeting(int threads) : threads_(threads) {}

  /// Waits until all threads have come. failed: set where one of them comes no more;
  /// returns false then.
  [[nodiscard]] bool wait(const std::atomic<bool>& failed) {
    const unsigned turn = turn_.load();
    if (arrived_.fetch_add(1) + 1 == threads_) {
      arrived_.store(0);
      turn_.store(turn + 1);
      return true;
    }
    constexpr int spins = 2000, yields = 20000;
    for (int round = 0; turn_.load() == turn; ++round) {
      if (failed.load() && turn_.load() == turn) {
        arrived_.fetch_sub(1);
        return false;
      }
      if (round > spins + yields)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      else if (round > spins)
        std::this_thread::yield();
    }
    return true;
  }

 private:
  const int threads_;
  std::atomic<int> arrived_{0};
  std::atomic<unsigned> turn_{0};
};

}  // namespace thinwire
