#include "mom/solution.h"

#include <fmt/format.h>

namespace thinwire {

std::string missed_tolerance(const FrequencyResult& result) {
  const SolverReport& solver = result.solver;
  if (solver.converged) return "";
  return fmt::format(
      "{:g} MHz: {} stopped after {} iterations at a relative residual of {:.3g}: what "
      "follows from it is not a solution",
      result.frequency_hz * 1e-6, solver.name, solver.iterations,
      solver.relative_residual);
}

}  // namespace thinwire
