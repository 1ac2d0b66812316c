#pragma once

#include <memory>

#include "mom/problem/solution.h"
#include "mom/schedule/frequency_queue.h"
#include "mom/schedule/solve_context.h"

namespace thinwire {

/// solve() in two steps, between which its matrices may be solved together with those of
/// others (mom/schedule/batch_backend.h).
class SolveJob {
 public:
  /// Follows the planner's plan, which several ranks make together here. planner must
  /// outlive this. Throws as solve() does.
  explicit SolveJob(Planner& planner,
                    GainDerivativesOf derivatives_of = GainDerivativesOf::gain_and_ratio);
  ~SolveJob();

  /// Null for a problem without runs.
  SolveContext* context() const;
  /// Seconds that others spend on its behalf are to be added here.
  Timings& timings_s();

  /// Solves; may be called once, on any thread. queue: the frequencies to solve; null:
  /// all.
  Solution finish(const FrequencyQueue* queue = nullptr);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace thinwire
