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
  /// The steps that this process is to solve next, ascending; empty once nothing is left
  /// for it and all that others solve has come. Throws Error.
  virtual std::vector<std::size_t> next() = 0;
  /// A step is solved. May be called from any thread.
  virtual void done(std::size_t step, const FrequencyOutcome& outcome) = 0;
  /// Whether this process is the one that gets all outcomes, once next() was empty.
  virtual bool collects() const = 0;
  virtual FrequencyOutcome outcome(std::size_t step) const = 0;
};

/// Solves what the ledger gives this process: the first frequency of a run by all
/// threads, and others side by side where twins of its solver can be made. Throws what
/// FrequencySolver::solve and the ledger throw.
void solve_queue(const SolveContext& context, FrequencyQueue& queue);

/// Why the frequencies of a problem can't be solved one by one; empty where they can.
std::string why_not_distributable(const Problem& problem, const Options& options);

/// Returns the number of steps.
std::size_t step_count(const Problem& problem);

}  // namespace thinwire
