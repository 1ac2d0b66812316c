#include "mom/schedule/solve.h"

#include <optional>
#include <string>
#include <utility>

#include "kernels/base/error.h"
#include "mom/problem/stored_matrix.h"
#include "mom/schedule/frequency_queue.h"
#include "mom/schedule/solve_in_a_batch.h"
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
  if (std::optional<Solution> solution = solve_in_a_batch(problem, options))
    return std::move(*solution);
  return SolveJob(problem, options, derivatives_of).finish();
}

Solution solve(const Problem& problem, const Options& options, FrequencyQueue& queue) {
  refuse_distribution(problem, options_for_stored(problem, options));
  return SolveJob(problem, options).finish(&queue);
}

}  // namespace thinwire
