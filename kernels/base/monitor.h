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
};

/// Whom long work tells how far it is, and who may stop it. Everything that takes long
/// takes a Monitor, and nothing else for these two purposes. Copies are cheap beside the
/// work that they watch.
class Monitor {
 public:
  using Listener = std::function<void(const Progress&)>;

  /// Nobody listens, nobody stops.
  Monitor() = default;
  /// listener: may be empty; called from the thread that does the work, may throw to end
  /// it. stop: may be null; set from any thread, also from a signal handler.
  explicit Monitor(Listener listener, const std::atomic<bool>* stop = nullptr)
      : listener_(std::move(listener)), stop_(stop) {}

  /// `fraction` of the work is done, 0..1. Throws Error{interrupted} where a stop was
  /// asked for.
  void tell(const char* step, double fraction) const {
    check();
    if (listener_) listener_({step, first_ + share_ * fraction});
  }

  bool stopped() const {
    return stop_ != nullptr && stop_->load(std::memory_order_relaxed);
  }
  /// Throws Error{interrupted} where a stop was asked for.
  void check() const {
    if (stopped())
      throw Error(ErrorKind::interrupted, "interrupted. Nothing was written.");
  }

  /// For work whose progress says nothing to the listener.
  Monitor silent() const { return Monitor({}, stop_); }

  /// For a part of the work: its 0..1 is first..last here.
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
