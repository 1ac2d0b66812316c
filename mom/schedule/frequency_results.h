#pragma once

#include <cstddef>
#include <optional>

#include "mom/loads/loads.h"
#include "mom/problem/frequency_outcome.h"
#include "mom/schedule/solve_context.h"
#include "mom/systems/current_solver.h"

namespace thinwire {

/// A run at one frequency, ready to be solved.
struct ReadyFrequency {
  std::size_t run;  ///< index into Problem::runs
  double frequency_hz;
  const LoadModel& loads;
  CurrentSolver& currents;
  /// Radiated power and losses over input power, where that is known; the far field is
  /// not integrated then.
  std::optional<double> power_balance;
};

/// Solves for the run's sources or incident waves, with its networks, and adds to the
/// outcome what follows from the currents: ports, powers, patterns, near fields. monitor:
/// of the fields. Throws Error{geometry, numeric, interrupted}.
void add_results(const SolveContext& context, const ReadyFrequency& ready,
                 const Monitor& monitor, FrequencyOutcome& outcome);

}  // namespace thinwire
