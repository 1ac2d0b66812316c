#include "cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/interrupt.h"
#include "cli/tell.h"
#include "kernels/base/error.h"

namespace thinwire::cli {
namespace {

/// "12 s", "3 min 20 s", "2 h 5 min".
std::string duration(double seconds) {
  const long s = static_cast<long>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
}

}  // namespace

ProgressMode progress_mode(const std::string& word) {
  if (word == "auto") return ProgressMode::automatic;
  if (word == "none") return ProgressMode::none;
  if (word == "json") return ProgressMode::json;
  throw Error(
      ErrorKind::usage,
      fmt::format("--progress must be one of auto, none, json (got '{}').", word));
}

ProgressLine::ProgressLine(ProgressMode mode)
    : mode_(mode), terminal_(::isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(const Progress& progress) {
  if (mode_ == ProgressMode::none) return;
  using Seconds = std::chrono::duration<double>;
  const Clock::time_point now = Clock::now();
  const double elapsed = Seconds(now - start_).count();
  const double since_last = Seconds(now - last_).count();
  const bool new_step = progress.step != last_step_;
  const bool rewritten = mode_ == ProgressMode::automatic && terminal_;
  const bool sparse = mode_ == ProgressMode::automatic && !terminal_;
  if (sparse && since_last < (new_step ? 3.0 : 10.0)) return;
  if (!sparse && since_last < 0.1 && !(new_step && mode_ == ProgressMode::json)) return;
  last_ = now;
  last_step_ = progress.step;

  const double fraction = std::clamp(progress.fraction, 0.0, 1.0);
  // An estimate from the first few percent would jump about.
  const bool known = fraction > 0.02 && elapsed > 0.5;
  const double left = known ? elapsed * (1 - fraction) / fraction : -1;
  if (mode_ == ProgressMode::json) {
    nlohmann::json line = {{"step", progress.step}, {"fraction", fraction}};
    if (known) line["seconds_left"] = left;
    if (!progress.detail.empty()) line["detail"] = progress.detail;
    tell("{}\n", line.dump());
    return;
  }
  write_to_stderr(fmt::format("{}{:<12} {:3.0f} %{}{}{}", rewritten ? "\r" : "",
                              progress.step, 100 * fraction,
                              known ? ", " + duration(left) + " left" : "",
                              progress.detail.empty() ? "" : "; " + progress.detail,
                              rewritten ? "\x1b[K" : "\n"));
  std::fflush(stderr);
  shown_ = rewritten;
}

Monitor ProgressLine::monitor() {
  return Monitor([this](const Progress& progress) { show(progress); },
                 InterruptGuard::stop());
}

void ProgressLine::clear() {
  if (!shown_) return;
  write_to_stderr("\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace thinwire::cli
