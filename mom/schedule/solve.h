#pragma once

#include "mom/problem/gain_derivatives_of.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"
#include "mom/problem/solution.h"
#include "mom/schedule/frequency_queue.h"

namespace thinwire {

/// The one entry that the CLI, Python and the tests share: solves every run of the
/// problem at every frequency. Throws Error (geometry, device, memory, numeric,
/// interrupted).
Solution solve(const Problem& problem, const Options& options,
               GainDerivativesOf derivatives_of = GainDerivativesOf::gain_and_ratio);

/// Solves only the frequencies that the queue gives this process. Only the process that
/// collects gets results. Throws Error{usage} for what needs all frequencies at once: a
/// fast sweep, a matrix that is kept.
Solution solve(const Problem& problem, const Options& options, FrequencyQueue& queue);

}  // namespace thinwire
