#pragma once

#include <atomic>
#include <functional>
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
/// takes a Monitor, and nothing else for these two purposes. Copies are cheap compared to
/// the work.
class Monitor {
 public:
  using Listener = std::function<void(const Progress&)>;

  /// Reports to nobody and never stops.
  Monitor() = default;
  /// listener: may be empty; called from the thread that does the work; may throw to end
  /// the work. stop: may be null; may be set from any thread and from signal handlers.
  explicit Monitor(Listener listener, const std::atomic<bool>* stop = nullptr)
      : listener_(std::move(listener)), stop_(stop) {}

  /// Reports the fraction of the work that is done, 0..1. Throws Error{interrupted} if a
  /// stop was requested.
  void report(const char* step, double fraction, std::string detail = {}) const {
    check();
    if (listener_) listener_({step, first_ + share_ * fraction, std::move(detail)});
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
    monitor.first_ = first_ + share_ * first;
    monitor.share_ = share_ * (last - first);
    return monitor;
  }

 private:
  Listener listener_;
  const std::atomic<bool>* stop_ = nullptr;
  double first_ = 0, share_ = 1;  // of the whole job
};

}  // namespace thinwire
