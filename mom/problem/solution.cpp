#include "mom/problem/solution.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/counted.h"

namespace thinwire {

std::string_view gap_name(Gap gap) {
  constexpr std::string_view names[] = {"", "start", "end"};
  return names[static_cast<std::size_t>(gap)];
}

std::string place_name(int tag, std::int64_t segment, Gap gap) {
  return fmt::format("tag {} segment {}{}{}", tag, segment,
                     gap == Gap::segment ? "" : ", ", gap_name(gap));
}

std::string port_name(const PortResult& port) {
  return fmt::format("{}/{}{}{}", port.tag, port.segment,
                     port.gap == Gap::segment ? "" : " ", gap_name(port.gap));
}

std::string missed_tolerance(const FrequencyResult& result) {
  const SolverReport& solver = result.solver;
  if (solver.converged) return "";
  if (solver.model_error)
    return fmt::format(
        "{:g} MHz is modelled from solutions of {} that missed the tolerance: its "
        "results are not a solution",
        result.frequency_hz * 1e-6, solver.name);
  return fmt::format(
      "{:g} MHz: {} stopped after {} at a relative residual of {:.3g}: its results are "
      "not a solution",
      result.frequency_hz * 1e-6, solver.name,
      counted(static_cast<std::size_t>(solver.iterations), "iteration"),
      solver.relative_residual);
}

std::string modelled_summary(const Solution& solution) {
  std::size_t count = 0, solved = 0;
  double error = 0;
  const FrequencyResult* last = nullptr;
  for (const FrequencyResult& result : solution.frequencies) {
    // Incident waves have a result each.
    const bool new_frequency =
        !last || last->run != result.run || last->frequency_hz != result.frequency_hz;
    last = &result;
    if (!new_frequency) continue;
    ++count;
    if (result.solver.model_error)
      error = std::max(error, *result.solver.model_error);
    else
      ++solved;
  }
  if (solved == count) return "";
  return fmt::format(
      "{} of {} frequencies were solved, the others are modelled within {:.0e}", solved,
      count, error);
}

}  // namespace thinwire
