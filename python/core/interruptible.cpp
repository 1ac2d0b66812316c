#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "python/core/core.h"

namespace thinwire::python {
namespace {

using namespace std::chrono_literals;
/// Between two looks at Ctrl-C and two calls of `progress`.
constexpr auto interval = 50ms;
/// For the parts of the work that look at a stop themselves.
constexpr auto patience = 500ms;

/// What the thread that works and the one that watches share; the one that is left last
/// ends its life.
struct Job {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr error;
  std::optional<Progress> progress;  ///< what was not told yet
  std::atomic<bool> stop{false};

  bool wait(std::chrono::milliseconds time) {
    const nb::gil_scoped_release release;
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, time, [this] { return done; });
  }
  /// What the work owns may need the GIL to go.
  static void join(std::thread& worker) {
    const nb::gil_scoped_release release;
    worker.join();
  }
  std::optional<Progress> take_progress() {
    const std::lock_guard lock(mutex);
    return std::exchange(progress, std::nullopt);
  }
};

void do_work(const std::shared_ptr<Job>& job,
             const std::function<void(const Monitor&)>& work) {
  std::exception_ptr error;
  try {
    work(Monitor(
        [&job](const Progress& progress) {
          const std::lock_guard lock(job->mutex);
          job->progress = progress;
        },
        &job->stop));
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(job->mutex);
  job->error = error;
  job->done = true;
  job->changed.notify_one();
}

/// Stops the work; false where it goes on behind.
bool has_ended(const std::shared_ptr<Job>& job, std::thread& worker) {
  job->stop = true;
  if (!job->wait(patience)) {
    worker.detach();
    return false;
  }
  Job::join(worker);
  return true;
}

}  // namespace

void run_interruptibly(std::function<void(const Monitor&)> work, nb::object progress,
                       const std::function<nb::object()>& found) {
  const auto job = std::make_shared<Job>();
  std::thread worker([job, work = std::move(work)] { do_work(job, work); });
  try {
    while (!job->wait(interval)) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      const std::optional<Progress> latest = job->take_progress();
      if (latest && !progress.is_none()) progress(latest->step, latest->fraction);
    }
  } catch (nb::python_error& error) {
    if (has_ended(job, worker) && found) error.value().attr("found") = found();
    throw;
  } catch (...) {
    (void)has_ended(job, worker);
    throw;
  }
  Job::join(worker);
  if (job->error) std::rethrow_exception(job->error);
}

}  // namespace thinwire::python
