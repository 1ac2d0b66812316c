#include "cg/rank_threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <span>
#include <stdexcept>

#include <omp.h>

#include "kernels/base/thread_meeting.h"

namespace thinwire {

/// Where the threads meet: each shows what it has, reads what the others show, and goes
/// on when all have read.
struct RankThreads::Meeting {
  explicit Meeting(int ranks) : shown(static_cast<std::size_t>(ranks)), barrier(ranks) {}

  std::vector<std::span<const double>> shown;  ///< [ranks]
  ThreadMeeting barrier;
  std::atomic<bool> failed = false;
  std::mutex mutex;  ///< of the threads' work
  std::condition_variable changed;
};

class RankThreads::ThreadComm final : public Comm {
 public:
  using Comm::broadcast;
  using Comm::gather;
  using Comm::sum;

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
    gather(part, whole, rank_);
  }
  void gather(std::span<const double> part, std::span<double> whole,
              int root) const override {
    show(part, [&] {
      if (rank_ != root) return;
      auto to = whole.begin();
      for (const std::span<const double> each : meeting_.shown)
        to = std::copy(each.begin(), each.end(), to);
    });
  }
  void broadcast(std::span<double> values, int root) const override {
    show(values, [&] {
      const std::span<const double> from = meeting_.shown[static_cast<std::size_t>(root)];
      if (rank_ != root) std::copy(from.begin(), from.end(), values.begin());
    });
  }

 private:
  /// Calls read() between the moment when all ranks have shown theirs and the first one's
  /// going on.
  template <class Read>
  void show(std::span<const double> mine, const Read& read) const {
    meeting_.shown[static_cast<std::size_t>(rank_)] = mine;
    wait_for_all();
    read();
    wait_for_all();
  }
  void wait_for_all() const {
    if (!meeting_.barrier.wait(meeting_.failed))
      throw std::runtime_error("another rank has failed");
  }

  Meeting& meeting_;
  int rank_;
};

RankThreads::RankThreads(int ranks) : meeting_(std::make_unique<Meeting>(ranks)) {
  for (int rank = 0; rank < ranks; ++rank) comms_.emplace_back(*meeting_, rank);
  for (int rank = 1; rank < ranks; ++rank)
    threads_.emplace_back([this, rank] { serve(rank); });
}

RankThreads::~RankThreads() {
  {
    const std::lock_guard lock(meeting_->mutex);
    ending_ = true;
    meeting_->changed.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

int RankThreads::ranks() const {
  return static_cast<int>(meeting_->shown.size());
}

const std::atomic<bool>& RankThreads::failed() const {
  return meeting_->failed;
}

void RankThreads::run(const Work& work) {
  const int all_threads = omp_get_max_threads();
  {
    const std::lock_guard lock(meeting_->mutex);
    meeting_->failed = false;
    first_error_ = nullptr;
    work_ = &work;
    omp_threads_ = std::max(1, all_threads / ranks());
    busy_ = ranks() - 1;
    ++round_;
    meeting_->changed.notify_all();
  }
  omp_set_num_threads(omp_threads_);
  call(0);
  omp_set_num_threads(all_threads);
  std::unique_lock lock(meeting_->mutex);
  meeting_->changed.wait(lock, [this] { return busy_ == 0; });
  if (first_error_) std::rethrow_exception(first_error_);
}

/// The life of a thread.
void RankThreads::serve(int rank) {
  for (int done = 0;; ++done) {
    {
      std::unique_lock lock(meeting_->mutex);
      meeting_->changed.wait(lock, [&] { return ending_ || round_ > done; });
      if (ending_) return;
      omp_set_num_threads(omp_threads_);
    }
    call(rank);
    const std::lock_guard lock(meeting_->mutex);
    --busy_;
    meeting_->changed.notify_all();
  }
}

void RankThreads::call(int rank) {
  try {
    (*work_)(comms_[static_cast<std::size_t>(rank)]);
  } catch (...) {
    const std::lock_guard lock(meeting_->mutex);
    if (!first_error_) first_error_ = std::current_exception();
    meeting_->failed = true;
  }
}

}  // namespace thinwire
