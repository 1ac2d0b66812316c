#pragma once

#include <atomic>
#include <filesystem>
#include <vector>

namespace thinwire::cli {

/// Consequence of an interrupt.
enum class OnInterrupt {
  end,   ///< nothing is kept: a program that does not stop is ended within a second
  keep,  ///< what was measured until then is still written, however long that takes
};

/// While it lives, Ctrl-C, SIGTERM and SIGHUP, unless nohup ignores that, set stop()
/// instead of ending the program. OnInterrupt::end after less than a second (a
/// factorisation of LAPACK or a pipe that nobody reads look at no stop()), and a second
/// one of them with OnInterrupt::keep, removes the NAME.part of the given outputs and
/// ends it at once with 130. At most one at a time.
class InterruptGuard {
 public:
  InterruptGuard(const std::vector<std::filesystem::path>& outputs,
                 OnInterrupt on_interrupt);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// For Options::stop.
  static const std::atomic<bool>* stop();

  /// Removes the NAME.part of the outputs of the guard that lives, for a program that
  /// ends without leaving its scopes. May be called from a signal handler.
  static void remove_parts();
};

}  // namespace thinwire::cli
