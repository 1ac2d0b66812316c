#pragma once

#include <string>

#include "mom/solver_choice.h"

namespace thinwire {

/// Where a problem will be solved, and with what.
struct DeviceChoice {
  bool gpu = false;
  int index = 0;             ///< N of cuda:N
  std::string name = "cpu";  ///< "cuda:0 NVIDIA H200"
  SolverPlan plan;
  double fill_seconds = 0;       ///< predicted, once
  std::size_t matrix_bytes = 0;  ///< Z as stored
  std::size_t total_bytes = 0;   ///< with the solver's own arrays, where it is solved
};

/// Decides by Options::device and, for `auto`, by the predicted time; makes the GPU that
/// it takes the current one. plan.why then says why. For small problems `auto` does not
/// even look for a GPU: starting one takes longer.
///
/// Throws Error{device}: no CUDA in this build, no such GPU, no code for it, or a
/// precision that only a GPU has on the CPU. Error{memory} when the GPU asked for has not
/// enough memory: need, free, n and ways out.
DeviceChoice choose_device(const Discretisation& where, const Options& options,
                           std::size_t right_hand_sides, std::size_t frequencies,
                           int threads);

}  // namespace thinwire
