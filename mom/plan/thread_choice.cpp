#include "mom/plan/thread_choice.h"

#include "cg/direct/direct.h"
#include "mom/plan/problem_plan.h"

namespace thinwire {

bool is_for_one_thread(const Problem& problem, const Options& options) {
  constexpr double short_s = 0.1;
  // Problems that are long by their size alone, or that a GPU will solve, are not planned
  // twice.
  constexpr std::size_t max_segments = 2000;
  if (options.threads != 0 || options.device.kind == DeviceRequest::Kind::cuda ||
      options.precision != PrecisionChoice::in_double ||
      problem.structure.segments().size() > max_segments)
    return false;
  Options alone = options;
  alone.device = {DeviceRequest::Kind::cpu, 0};
  alone.threads = 1;
  return plan(problem, alone).predicted_seconds < short_s;
}

bool solved_side_by_side(const Problem& problem, const Options& options) {
  const Plan needed = plan(problem, options);
  return needed.device == "cpu" && needed.unknowns < min_unknowns_for_threads;
}

}  // namespace thinwire
