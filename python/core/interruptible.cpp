#include <omp.h>
#include <pthread.h>

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

/// State shared by the thread that works and the one that watches; the last of them to
/// leave destroys it.
struct Job {
  std::function<void(const Monitor&)> work;  ///< empty once it has ended
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr error;
  Progress progress;  ///< the latest
  std::atomic<bool> stop{false};

  bool wait(std::chrono::milliseconds time) {
    const nb::gil_scoped_release release;
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, time, [this] { return done; });
  }
  Progress latest_progress() {
    const std::lock_guard lock(mutex);
    return progress;
  }

  void run() {
    std::exception_ptr failure;
    try {
      work(Monitor(
          [this](const Progress& latest) {
            const std::lock_guard lock(mutex);
            progress = latest;
          },
          &stop));
    } catch (...) {
      failure = std::current_exception();
    }
    // Objects that the work owns may need the GIL to be freed. wait() has released it.
    work = nullptr;
    error = failure;
  }
  void tell_done() {
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_one();
  }
};

/// A thread that does one job after the other. One of them is kept while it has nothing
/// to do: a new thread would make OpenMP's threads anew in every call, which takes
/// milliseconds. It lives as long as the process, and holds nothing when that ends.
class Worker {
 public:
  /// Gives the job to the worker that is kept, or to a new one.
  static void start(std::shared_ptr<Job> job) {
    Worker* worker = take_kept();
    const bool is_new = worker == nullptr;
    if (is_new) worker = new Worker;
    {
      const std::lock_guard lock(worker->mutex_);
      worker->job_ = std::move(job);
    }
    worker->changed_.notify_one();
    if (is_new) std::thread([worker] { worker->serve(); }).detach();
  }

 private:
  void serve() {
    const int threads = omp_get_max_threads();
    for (bool stays = true; stays;) {
      std::shared_ptr<Job> job;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return job_ != nullptr; });
        job = std::move(job_);
      }
      omp_set_num_threads(threads);
      job->run();
      // Before the caller goes on, so that its next job finds this worker.
      stays = keep();
      job->tell_done();
    }
    delete this;
  }

  static std::mutex& kept_mutex() {
    static std::mutex mutex;
    // A forked process has no worker.
    static const int registered =
        pthread_atfork([] { kept_mutex().lock(); }, [] { kept_mutex().unlock(); },
                       [] {
                         kept_ = nullptr;
                         kept_mutex().unlock();
                       });
    (void)registered;
    return mutex;
  }
  static Worker* take_kept() {
    const std::lock_guard lock(kept_mutex());
    return std::exchange(kept_, nullptr);
  }
  bool keep() {
    const std::lock_guard lock(kept_mutex());
    if (kept_ == nullptr) kept_ = this;
    return kept_ == this;
  }

  static inline Worker* kept_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Job> job_;  ///< the next one
};

/// Stops the work; false where it goes on behind.
bool has_ended(Job& job) {
  job.stop = true;
  return job.wait(patience);
}

}  // namespace

void run_interruptibly(std::function<void(const Monitor&)> work, nb::object progress,
                       const std::function<nb::object()>& found) {
  const auto job = std::make_shared<Job>();
  job->work = std::move(work);
  Worker::start(job);
  try {
    while (!job->wait(interval)) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      // Also where the work has reported nothing new, since the caller may stop it.
      const Progress latest = job->latest_progress();
      if (!progress.is_none()) progress(latest.step, latest.fraction);
    }
  } catch (nb::python_error& error) {
    if (has_ended(*job) && found) error.value().attr("found") = found();
    throw;
  } catch (...) {
    (void)has_ended(*job);
    throw;
  }
  if (job->error) std::rethrow_exception(job->error);
}

}  // namespace thinwire::python
