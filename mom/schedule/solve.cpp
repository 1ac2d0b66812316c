#include "mom/schedule/solve.h"

#include <optional>
#include <string>
#include <utility>

#include "kernels/base/error.h"
#include "mom/plan/planner.h"
#include "mom/schedule/batches.h"
#include "mom/schedule/frequency_queue.h"
#include "mom/schedule/solve_job.h"

namespace thinwire {
namespace {

void refuse_distribution(const Problem& problem, const Options& options) {
  if (std::string why = why_not_distributable(problem, options); !why.empty())
    throw Error(ErrorKind::usage,
                "solve: frequencies can't be shared out or kept one by one: " + why);
}

}  // namespace

Solution solve(const Problem& problem, const Options& options,
               GainDerivativesOf derivatives_of) {
  Planner planner(problem, options);
  return solve(planner, derivatives_of);
}

Solution solve(Planner& planner, GainDerivativesOf derivatives_of) {
  if (wants_a_batch(planner.problem(), planner.options()))
    if (std::optional<Solution> solution =
            solve_in_a_batch(planner, *gpu_batch_solver(planner.options().device.index)))
      return std::move(*solution);
  return SolveJob(planner, derivatives_of).finish();
}

Solution solve(Planner& planner, const FrequencyQueue& queue) {
  refuse_distribution(planner.problem(), planner.options());
  return SolveJob(planner).finish(&queue);
}

}  // namespace thinwire
