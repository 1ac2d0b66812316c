#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mom/problem/frequency_outcome.h"
#include "mom/schedule/solve_context.h"

namespace thinwire {

/// Distributes a problem's frequencies where several processes share them or some were
/// solved before. Steps count the frequencies of all runs, in their order.
class FrequencyQueue {
 public:
  virtual ~FrequencyQueue() = default;
  /// Returns the steps that this process is to solve next, ascending; empty once none is
  /// left for it and the outcomes of all other processes have arrived. Throws Error.
  virtual std::vector<std::size_t> next() = 0;
  /// Stores the outcome of a step. May be called from any thread.
  virtual void done(std::size_t step, const FrequencyOutcome& outcome) = 0;
  /// True if this process gets all outcomes, once next() has returned none.
  virtual bool collects() const = 0;
  virtual FrequencyOutcome outcome(std::size_t step) const = 0;
};

/// Solves the frequencies that the queue assigns to this process: the first of a run with
/// all threads, the others concurrently where its solver can be cloned. Throws what
/// FrequencySolver::solve and the queue throw.
void solve_queue(const SolveContext& context, FrequencyQueue& queue);

/// Returns why the frequencies of a problem cannot be solved one by one; empty if they
/// can.
std::string why_not_distributable(const Problem& problem, const Options& options);

/// Returns the number of steps.
std::size_t step_count(const Problem& problem);

}  // namespace thinwire
