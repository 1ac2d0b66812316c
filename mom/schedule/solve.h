#pragma once

#include "mom/problem/gain_derivatives_of.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire {

class Planner;

/// Solves every run of the problem at every frequency. The entry point of the CLI, Python
/// and the tests. derivatives_of: the gain quantities that derivatives are computed for.
/// Throws Error{geometry, device, memory, numeric, interrupted}.
Solution solve(const Problem& problem, const Options& options,
               GainDerivativesOf derivatives_of = GainDerivativesOf::gain_and_ratio);

/// Solves a problem as planned. Throws likewise.
Solution solve(Planner& planner,
               GainDerivativesOf derivatives_of = GainDerivativesOf::gain_and_ratio);

}  // namespace thinwire
