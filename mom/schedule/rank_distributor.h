#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mom/schedule/ranks.h"

namespace thinwire {

/// Work queue that distributes numbered items to groups of ranks as they become free:
/// fewer at a time towards the end, so that all finish together. The results go to the
/// first rank, where a separate thread distributes and receives while the rank itself
/// works as well.
class RankDistributor {
 public:
  struct Task {
    /// On the first rank: the items to distribute, ascending.
    std::vector<std::size_t> left;
    /// On the first rank: gets each result, from one thread at a time.
    std::function<void(std::size_t item, std::string_view bytes)> keep;
    /// On the first rank: called many times a second by the thread that waits for the
    /// others; may throw to end the wait.
    std::function<void()> waiting;
    /// On the first rank: called by the receiving thread with the exception that keep()
    /// threw while the rank itself is at work.
    std::function<void(std::exception_ptr)> failed;
  };

  /// ranks: null for this process alone; else all are to make one. They form `groups`
  /// groups (1 .. ranks) of neighbours.
  RankDistributor(const Ranks* ranks, int groups, Task task);
  RankDistributor(const RankDistributor&) = delete;
  RankDistributor& operator=(const RankDistributor&) = delete;
  /// Ends the distributing thread, whatever the other ranks still do.
  ~RankDistributor() = default;

  /// The ranks that get the same items, to share each of them; null where that is one.
  const Ranks* group() const { return group_.get(); }

  /// Returns what this rank is to do next; empty once nothing is left, on the first rank
  /// only when all results have come. Throws what keep() and waiting() throw.
  std::vector<std::size_t> next();
  /// An item's result, from any thread; from the first of a group only it goes further.
  void done(std::size_t item, std::string_view bytes);

 private:
  std::vector<std::size_t> deal();
  std::vector<std::size_t> ask();
  void keep(std::size_t item, std::string_view bytes);
  void listen(const std::stop_token& stop);
  void answer(int from);
  void wait_for_others();

  const Ranks* ranks_;
  int groups_;
  Task task_;
  std::unique_ptr<Ranks> group_;
  std::mutex mutex_;             ///< of what is left, and of keep()
  std::size_t distributed_ = 0;  ///< of task_.left
  std::atomic<int> others_ = 0;  ///< groups that may still ask
  std::exception_ptr failure_;   ///< of keep()
  std::jthread listener_;
};

}  // namespace thinwire
