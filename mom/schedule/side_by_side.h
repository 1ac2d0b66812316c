#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mom/schedule/frequency_solver.h"

namespace thinwire {

/// Twins of a solver that has solved a frequency of the run, for the threads that are to
/// solve `count` more beside it: as many as there are threads, memory and work for. Empty
/// where frequencies are better solved one after the other, and where other processes
/// share each of them.
std::vector<std::unique_ptr<FrequencySolver>> make_clones(const FrequencySolver& solver,
                                                          const SolveContext& context,
                                                          std::size_t run,
                                                          std::size_t count);

/// Solves a run at these frequencies, each by one thread with a solver of its own: the
/// same outcomes as one after the other, in their order. Tells the monitor from the
/// calling thread; throws what the first of the frequencies that failed threw. Seconds
/// of the stages add up to what all of it took. told: of each outcome as soon as it is
/// there, by the thread that solved it.
std::vector<FrequencyOutcome> solve_side_by_side(
    FrequencySolver& solver, std::span<const std::unique_ptr<FrequencySolver>> clones,
    std::size_t run, std::span<const double> frequency_hz, const Monitor& monitor,
    const std::function<void(std::size_t, const FrequencyOutcome&)>& on_outcome = {});

}  // namespace thinwire
