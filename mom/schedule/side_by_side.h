#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mom/schedule/frequency_solver.h"

namespace thinwire {

/// Returns clones of a solver that has solved a frequency of the run, for threads that
/// solve `count` more concurrently: as many as threads, memory and work allow. Empty if
/// frequencies are better solved one after the other, or if other processes share each of
/// them.
std::vector<std::unique_ptr<FrequencySolver>> make_clones(const FrequencySolver& solver,
                                                          const SolveContext& context,
                                                          std::size_t run,
                                                          std::size_t count);

/// Gets an outcome as soon as it is available, from the thread that solved it.
using TakeOutcome = std::function<void(std::size_t index, FrequencyOutcome&& outcome)>;

/// Solves a run at these frequencies, each by one thread with a solver of its own: the
/// same outcomes as one after the other. Their seconds are the threads' seconds divided
/// by the number of threads. Calls the monitor from the calling thread; throws what the
/// first of the failed frequencies threw.
void solve_side_by_side(FrequencySolver& solver,
                        std::span<const std::unique_ptr<FrequencySolver>> clones,
                        std::size_t run, std::span<const double> frequency_hz,
                        const Monitor& monitor, const TakeOutcome& take);

}  // namespace thinwire
