#pragma once

#include "kernels/error.h"

namespace thinwire::cli {

/// What the program returns to its caller.
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

}  // namespace thinwire::cli
