#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "mom/problem/frequency_outcome.h"
#include "mom/schedule/frequency_solver.h"
#include "mom/schedule/solve_context.h"

namespace thinwire {

/// The frequencies of a problem that are to be solved, and their outcomes. Steps count
/// the frequencies of all runs, in their order; several processes may share them, and
/// some may have been solved before.
class FrequencyQueue {
 public:
  virtual ~FrequencyQueue() = default;
  /// Returns the steps that this process is to solve next, ascending; empty once none is
  /// left for it and the outcomes of all other processes have arrived. Throws Error.
  virtual std::vector<std::size_t> next() = 0;
  /// Stores the outcome of a step. May be called from any thread.
  virtual void done(std::size_t step, FrequencyOutcome&& outcome) = 0;
  /// Returns the progress of so many steps that this process solves next.
  virtual Monitor progress(std::size_t steps) const = 0;
  /// True if this process gets all outcomes, once next() has returned none.
  virtual bool collects() const = 0;
  /// Returns an outcome, which leaves the queue.
  virtual FrequencyOutcome take(std::size_t step) = 0;
};

/// All frequencies of a problem, for this process alone.
class AllFrequencies final : public FrequencyQueue {
 public:
  AllFrequencies(const Problem& problem, Monitor monitor);
  std::vector<std::size_t> next() override { return std::exchange(left_, {}); }
  void done(std::size_t step, FrequencyOutcome&& outcome) override;
  Monitor progress(std::size_t steps) const override;
  bool collects() const override { return true; }
  FrequencyOutcome take(std::size_t step) override { return std::move(outcomes_[step]); }

 private:
  Monitor monitor_;
  std::vector<std::size_t> left_;
  std::vector<FrequencyOutcome> outcomes_;
  std::atomic<std::size_t> done_count_ = 0;
};

/// Solves the frequencies that the queue assigns to this process. With
/// SweepChoice::fast, some of a run and models the others; else the first of a run with
/// all threads, and the others concurrently where its solver can be cloned. `solver`, of
/// this context, solves the last with Options::save_matrix, which keeps its matrix.
/// Throws what FrequencySolver::solve and the queue throw.
void solve_queue(const SolveContext& context, FrequencyQueue& queue,
                 FrequencySolver& solver);

/// Solves a planned problem by solve_queue(). The solution is empty except on the process
/// that collects the results. Throws as solve(planner), and Error{usage} for options that
/// need all frequencies at once: a fast sweep, Options::save_matrix, and the card WG.
Solution solve(Planner& planner, FrequencyQueue& queue);

/// Returns why the frequencies of a problem cannot be solved one by one; empty if they
/// can.
std::string why_not_distributable(const Problem& problem, const Options& options);

/// Returns the number of steps.
std::size_t step_count(const Problem& problem);

}  // namespace thinwire
