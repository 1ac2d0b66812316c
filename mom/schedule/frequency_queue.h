#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "mom/problem/frequency_outcome.h"
#include "mom/schedule/frequency_solver.h"
#include "mom/schedule/solve_context.h"
#include "mom/schedule/tasks.h"

namespace thinwire {

/// The frequencies of a problem that are to be solved, and their outcomes. Tasks count
/// the frequencies of all runs, in their order; several processes may share them, and
/// some may have been solved before.
struct FrequencyQueue : TaskQueue {
  /// Stores the outcome of a task. May be called from any thread.
  std::function<void(std::size_t step, FrequencyOutcome&& outcome)> done;
  /// Returns an outcome, which leaves the queue, once next() has returned none; empty on
  /// processes that do not get all outcomes.
  std::function<FrequencyOutcome(std::size_t step)> take;
};

/// Solves the frequencies that the queue assigns to this process. With
/// SweepChoice::fast, some of a run and models the others; else the first of a run with
/// all threads, and the others concurrently where its solver can be cloned. `solver`, of
/// this context, solves the last with Options::save_matrix, which keeps its matrix.
/// Throws what FrequencySolver::solve and the queue throw.
void solve_queue(const SolveContext& context, const FrequencyQueue& queue,
                 FrequencySolver& solver);

/// Solves a planned problem by solve_queue(). The solution is empty except on the process
/// that collects the results. Throws as solve(planner), and Error{usage} for options that
/// need all frequencies at once: a fast sweep, Options::save_matrix, and the card WG.
Solution solve(Planner& planner, const FrequencyQueue& queue);

/// Returns why the frequencies of a problem cannot be solved one by one; empty if they
/// can.
std::string why_not_distributable(const Problem& problem, const Options& options);

/// Returns the number of steps.
std::size_t step_count(const Problem& problem);

}  // namespace thinwire
