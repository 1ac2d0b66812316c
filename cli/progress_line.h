#pragma once

#include <chrono>
#include <string>

#include "mom/problem/options.h"

namespace thinwire::cli {

enum class ProgressMode {
  automatic,  ///< one rewritten line on a terminal, a line now and then elsewhere
  none,
  json,  ///< one JSON object a line: step, fraction, seconds_left, detail
};

/// Fractions of a job in which its deck is read, and of a structure's in which its model
/// is checked. The rest is the solve's. They are too small for an estimate of the time
/// left.
constexpr double read_share = 0.01, check_share = 0.01;

/// "auto", "none" or "json"; anything else is an Error{usage}.
ProgressMode progress_mode(const std::string& word);

/// Shows on stderr how far a job is. A job of less than a second shows nothing when
/// stderr is not a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(ProgressMode mode);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress);
  /// Returns a Monitor that shows progress here and ends with the interrupts' stop().
  Monitor monitor();

  /// Takes the line off the terminal, before anything else is printed there.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  ProgressMode mode_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  std::string last_step_;
};

}  // namespace thinwire::cli
