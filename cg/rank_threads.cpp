#include "cg/rank_threads.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <span>
#include <stdexcept>

#include <omp.h>

namespace thinwire {

/// Where the threads meet: each shows what it has, reads what the others show, and goes
/// on when all have read.
class RankThreads::Meeting {
 public:
  explicit Meeting(int ranks) : shown(static_cast<std::size_t>(ranks)) {}

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::span<const double>> shown;  ///< [ranks]

  /// Returns when all ranks have come. Throws where one has failed.
  void wait_for_all() {
    std::unique_lock lock(mutex);
    const int here = turn_;
    if (!left_ && ++come_ == static_cast<int>(shown.size())) {
      come_ = 0;
      ++turn_;
      changed.notify_all();
    }
    changed.wait(lock, [&] { return turn_ != here || left_; });
    if (turn_ == here) throw std::runtime_error("another rank has failed");
  }

  /// One of them comes no more. To be called with the lock.
  void leave() {
    left_ = true;
    changed.notify_all();
  }
  void begin() {
    left_ = false;
    come_ = 0;
  }

 private:
  int come_ = 0, turn_ = 0;
  bool left_ = false;
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
    meeting_.wait_for_all();
    read();
    meeting_.wait_for_all();
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

void RankThreads::run(const Work& work) {
  const int all_threads = omp_get_max_threads();
  {
    const std::lock_guard lock(meeting_->mutex);
    meeting_->begin();
    failed_ = false;
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
    failed_ = true;
    meeting_->leave();
  }
}

}  // namespace thinwire
