#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "kernels/base/error.h"

namespace thinwire {

/// Current step and its progress, for a progress line.
struct Progress {
  std::string step;     ///< "read", "check", "mesh", "fill", "factor", "solve", ...
  double fraction = 0;  ///< of the job, 0..1; reading and checks are their own jobs
  std::string detail;   ///< what else there is to say of it; may be empty
};

/// Callback for progress and for requests to stop. Every function that may run for long
/// takes a Monitor, and nothing else for these two purposes. A Monitor, with its copies
/// and parts, belongs to one job: the fractions that its listener gets never fall, also
/// where a stage starts again or a residual grows. Copies are cheap compared to the work.
class Monitor {
 public:
  using Listener = std::function<void(const Progress&)>;

  /// Reports to nobody and never stops.
  Monitor() = default;
  /// listener: may be empty; called from the thread that does the work; may throw to end
  /// the work. stop: may be null; may be set from any thread and from signal handlers.
  explicit Monitor(Listener listener, const std::atomic<bool>* stop = nullptr)
      : listener_(std::move(listener)), stop_(stop) {
    if (listener_) furthest_ = std::make_shared<double>(0);
  }

  /// Reports the fraction of the work that is done, 0..1; from one thread at a time.
  /// Throws Error{interrupted} if a stop was requested.
  void report(const char* step, double fraction, std::string detail = {}) const {
    check();
    if (!listener_) return;
    *furthest_ = std::max(*furthest_, std::lerp(first_, last_, fraction));
    listener_({step, *furthest_, std::move(detail)});
  }
  /// Reports the end of the job, "done"; nothing where this is not its last part. Too
  /// late for a stop.
  void done() const {
    if (listener_ && last_ == 1) listener_({"done", *furthest_ = 1, {}});
  }

  bool stopped() const {
    return stop_ != nullptr && stop_->load(std::memory_order_relaxed);
  }
  /// Throws Error{interrupted} if a stop was requested.
  void check() const {
    if (stopped())
      throw Error(ErrorKind::interrupted, "interrupted. Nothing was written.");
  }

  /// Returns a monitor that can stop the work but reports no progress.
  Monitor silent() const { return Monitor({}, stop_); }

  /// Returns a monitor for a part of the work, whose 0..1 is first..last of this one.
  Monitor part(double first, double last) const {
    Monitor monitor = *this;
    monitor.first_ = std::lerp(first_, last_, first);
    monitor.last_ = std::lerp(first_, last_, last);
    return monitor;
  }

 private:
  Listener listener_;
  const std::atomic<bool>* stop_ = nullptr;
  std::shared_ptr<double> furthest_;  // of the whole job, like the two below
  double first_ = 0, last_ = 1;
};

}  // namespace thinwire
