#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <omp.h>

#include "kernels/base/monitor.h"

namespace thinwire {

/// Numbered tasks, frequencies or problems, as they come to this process.
struct TaskQueue {
  /// Returns those to do next, ascending; empty once none is left for this process and
  /// the results of all other processes have arrived. Throws Error.
  std::function<std::vector<std::size_t>()> next;
  /// Returns the progress of the next `count` tasks.
  std::function<Monitor(std::size_t count)> progress;
};

/// Returns these tasks for this process alone.
inline TaskQueue own_tasks(std::vector<std::size_t> numbers, const Monitor& monitor) {
  const auto all = static_cast<double>(numbers.size());
  return {[numbers = std::move(numbers)]() mutable { return std::exchange(numbers, {}); },
          [all, monitor, begun = 0.0](std::size_t count) mutable {
            const double first = std::exchange(begun, begun + static_cast<double>(count));
            return monitor.part(first / all, begun / all);
          }};
}

/// Returns tasks 0 .. count - 1 for this process alone.
inline TaskQueue own_tasks(std::size_t count, const Monitor& monitor) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return own_tasks(std::move(numbers), monitor);
}

/// Runs task(i) for i = 0 .. count - 1 on so many threads, each of which takes `chunk` in
/// a row. Rethrows what the first of the failed tasks threw, in their order: the same
/// whatever the threads do. Leaves out the tasks behind a failed one.
template <class Task>
void run_tasks(std::size_t count, int threads, const Task& task, std::size_t chunk = 1) {
  std::exception_ptr thrown;
  std::atomic<std::size_t> failed = std::numeric_limits<std::size_t>::max();
#pragma omp parallel for schedule(dynamic, chunk) num_threads(threads) if (threads > 1)
  for (std::size_t i = 0; i < count; ++i) {
    if (failed < i) continue;
    try {
      task(i);
    } catch (...) {
#pragma omp critical(thinwire_run_tasks)
      if (i < failed) {
        thrown = std::current_exception();
        failed = i;
      }
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

/// Counts tasks that are done, for a progress line that only the calling thread writes.
class TaskProgress {
 public:
  /// stage: as Monitor::report() takes it.
  TaskProgress(const Monitor& monitor, const char* stage, std::size_t count)
      : monitor_(monitor), stage_(stage), count_(static_cast<double>(count)) {}

  /// Throws what the monitor throws.
  void add() {
    const std::size_t so_far = ++done_;
    if (omp_get_thread_num() == 0)
      monitor_.report(stage_, static_cast<double>(so_far) / count_);
  }

 private:
  const Monitor& monitor_;
  const char* stage_;
  double count_;
  std::atomic<std::size_t> done_ = 0;
};

}  // namespace thinwire
