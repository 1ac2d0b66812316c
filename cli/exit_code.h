#pragma once

#include "kernels/base/error.h"
#include "mom/problem/solution.h"

namespace thinwire::cli {

/// Exit statuses of the program.
enum ExitCode : int {
  exit_done = 0,
  exit_not_converged = 1,
  exit_usage = 2,
  exit_deck = 3,
  exit_device = 4,
  exit_file = 5,
  exit_interrupted = 130,
};

inline int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return exit_usage;
    case ErrorKind::deck:
    case ErrorKind::geometry:
      return exit_deck;
    case ErrorKind::device:
    case ErrorKind::memory:
      return exit_device;
    case ErrorKind::file:
      return exit_file;
    case ErrorKind::interrupted:
      return exit_interrupted;
    case ErrorKind::numeric:
      break;
  }
  return exit_not_converged;
}

/// exit_done, or exit_not_converged where a frequency missed the tolerance.
inline int exit_code(const Solution& solution) {
  for (const FrequencyResult& result : solution.frequencies)
    if (!result.solver.converged) return exit_not_converged;
  return exit_done;
}

}  // namespace thinwire::cli
