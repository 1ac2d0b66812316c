#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "mom/plan/planner.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"
#include "mom/problem/solution.h"
#include "mom/schedule/batch_solver.h"

namespace thinwire {

/// Systems from which a batch is worth a GPU's start, and one problem's frequencies a
/// batch: fewer leave a GPU mostly idle.
inline constexpr std::size_t min_batch_systems = 16;

/// Makes cuda:index the calling thread's GPU and returns its solver of batches. Throws
/// Error{device}.
std::unique_ptr<BatchSolver> gpu_batch_solver(int index);

/// Whether solve() solves this problem's frequencies in batches, as far as the problem
/// and the options decide without a mesh.
bool wants_a_batch(const Problem& problem, const Options& options);

/// solve() of one problem at many frequencies whose matrices a GPU solves in batches;
/// none where it is not asked for, or the problem does not fit.
std::optional<Solution> solve_in_a_batch(Planner& planner);
/// Solves by this solver.
std::optional<Solution> solve_in_a_batch(Planner& planner, const BatchSolver& solver);

}  // namespace thinwire
