#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mom/problem/frequency_outcome.h"
#include "mom/schedule/recorded_currents.h"
#include "mom/schedule/solve_context.h"

namespace thinwire {

/// A frequency that was solved, with all currents that it took.
struct SolvedFrequency {
  FrequencyOutcome outcome;
  RecordedCurrents currents;
};

/// Solves a run at the given frequencies.
using SolveFrequencies = std::function<std::vector<SolvedFrequency>(
    const std::vector<double>& frequency_hz, const Monitor& monitor)>;

/// Why all frequencies of a run must be solved, one line for the user; empty where some
/// will do.
std::string no_fast_sweep(const SolveContext& context, std::size_t run);

/// All outcomes of a run in the order of its frequencies (SweepChoice::fast): `solve`
/// gets some, the others follow from an AdaptiveSweep of the currents that the ports'
/// voltages and incident waves excite. Networks, losses, patterns and near fields follow
/// from these currents as they always do; but the radiated power of an antenna that is
/// not over real ground follows from the power balance of the frequencies solved beside.
std::vector<FrequencyOutcome> fast_sweep(const SolveContext& context, std::size_t run,
                                         const SolveFrequencies& solve,
                                         const Monitor& monitor);

}  // namespace thinwire
