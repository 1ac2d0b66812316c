#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "mom/schedule/batch_backend.h"
#include "mom/schedule/batch_solver.h"
#include "mom/schedule/solve_job.h"

namespace thinwire {

/// Systems from which a batch is worth a GPU's start, and one problem's frequencies a
/// batch: fewer leave a GPU mostly idle.
inline constexpr std::size_t min_batch_systems = 16;

/// Whether a problem's matrices may be solved in batches, as far as the problem and the
/// options decide without a mesh: by the direct solver in complex double, in free space
/// or over perfect ground, sources alone, without what asks for the matrix itself.
bool may_be_batched(const Problem& problem, const Options& options);

/// How such a problem is prepared: on the CPU, by the direct solver.
Options batch_options(Options options);

/// A problem whose matrices are solved in a batch: its systems collected, then solved,
/// then all that follows from them.
struct BatchedJob {
  /// planner: with batch_options(). Throws as SolveJob and BatchBackend::collect() do.
  explicit BatchedJob(Planner& planner);

  /// Whether the solver takes the systems of all runs, and none has closed loops that
  /// only the CPU's direct solver keeps.
  bool fits(const BatchSolver& solver) const;
  Solution finish();

  SolveJob job;
  std::unique_ptr<BatchBackend> backend;  ///< with a name once it is solved
};

/// Solves the systems of all these problems, which fit. Throws as BatchSolver::solve().
void solve_batch(std::span<BatchedJob* const> jobs, const BatchSolver& solver);

/// Makes cuda:index the calling thread's GPU and returns its solver of batches. Throws
/// Error{device}.
std::unique_ptr<BatchSolver> gpu_batch_solver(int index);

/// Whether solve() solves this problem's frequencies in batches, as far as the problem
/// and the options decide without a mesh.
bool wants_a_batch(const Problem& problem, const Options& options);

/// solve() of one problem at many frequencies whose matrices this solver takes in a
/// batch; none where the problem does not fit.
std::optional<Solution> solve_in_a_batch(Planner& planner, const BatchSolver& solver);

}  // namespace thinwire
