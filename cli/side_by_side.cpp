#include "cli/side_by_side.h"

#include "cg/direct/direct.h"
#include "mom/plan/problem_plan.h"

namespace thinwire::cli {
bool solved_side_by_side(const Problem& problem, const Options& options) {
  const Plan needed = plan(problem, options);
  return needed.device == "cpu" && needed.unknowns < least_unknowns_for_threads;
}

}  // namespace thinwire::cli
