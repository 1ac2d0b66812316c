#pragma once

#include "mom/problem/options.h"
#include "mom/problem/problem.h"
#include "mom/schedule/batch_solver.h"
#include "mom/schedule/solve_context.h"

namespace thinwire {

/// Whether a problem's matrices may be solved in batches, as far as the problem and the
/// options decide without a mesh: by the direct solver in complex double, in free space
/// or over perfect ground, sources alone, without what asks for the matrix itself.
bool may_be_batched(const Problem& problem, const Options& options);

/// How such a problem is prepared: on the CPU, by the direct solver.
Options batch_options(Options options);

/// Whether the solver takes the systems of all runs, and none has closed loops that only
/// the CPU's direct solver keeps.
bool fits_batch(const SolveContext& context, const BatchSolver& solver);

}  // namespace thinwire
