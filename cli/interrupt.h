#pragma once

#include <atomic>
#include <filesystem>
#include <vector>

namespace thinwire::cli {

/// While it lives, Ctrl-C, SIGTERM and SIGHUP set stop() instead of ending the program; a
/// second one removes the NAME.part of the given outputs and ends it at once with 130.
/// At most one at a time.
class InterruptGuard {
 public:
  explicit InterruptGuard(const std::vector<std::filesystem::path>& outputs);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// For Options::stop.
  static const std::atomic<bool>* stop();
};

}  // namespace thinwire::cli
