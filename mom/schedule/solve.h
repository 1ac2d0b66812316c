#pragma once

#include "mom/problem/gain_derivatives_of.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"
#include "mom/problem/solution.h"
#include "mom/schedule/frequency_queue.h"

namespace thinwire {

/// Solves every run of the problem at every frequency. The entry point of the CLI, Python
/// and the tests. derivatives_of: the gain quantities that derivatives are computed for.
/// Throws Error{geometry, device, memory, numeric, interrupted}.
Solution solve(const Problem& problem, const Options& options,
               GainDerivativesOf derivatives_of = GainDerivativesOf::gain_and_ratio);

/// Solves the frequencies that the queue assigns to this process. The solution is empty
/// except on the process that collects the results. Throws as the other overload, and
/// Error{usage} for options that need all frequencies at once: a fast sweep,
/// Options::save_matrix, and the card WG.
Solution solve(const Problem& problem, const Options& options, FrequencyQueue& queue);

}  // namespace thinwire
