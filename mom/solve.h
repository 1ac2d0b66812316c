#pragma once

#include "mom/options.h"
#include "mom/problem.h"
#include "mom/solution.h"

namespace thinwire {

/// The one entry that the CLI, Python and the tests share: solves every run of the
/// problem at every frequency. Throws Error (geometry, device, memory, numeric,
/// interrupted).
Solution solve(const Problem& problem, const Options& options);

}  // namespace thinwire
