#include "mom/schedule/batch_fit.h"

#include <algorithm>

#include "mom/discretization/loops.h"
#include "mom/media/medium.h"

namespace thinwire {
namespace {

bool may_be_batched(const Run& run) {
  return !run.ground.is_real() && run.ground.kind != Ground::Kind::coefficients &&
         !run.waves && run.matrix_file.empty() && !run.sources.empty() &&
         !run.frequency_hz.empty();
}

}  // namespace

bool may_be_batched(const Problem& problem, const Options& options) {
  const auto one_of = [](auto choice, auto some, auto other) {
    return choice == some || choice == other;
  };
  return one_of(options.solver, SolverChoice::automatic, SolverChoice::direct) &&
         one_of(options.preconditioner, PreconditionerChoice::automatic,
                PreconditionerChoice::none) &&
         one_of(options.operator_choice, OperatorChoice::automatic,
                OperatorChoice::dense) &&
         options.precision == PrecisionChoice::in_double &&
         options.sweep == SweepChoice::full && options.ranks == nullptr &&
         options.device.beside.empty() && !options.device.all && !options.save_matrix &&
         !problem.stored && problem.parameters.empty() && !problem.runs.empty() &&
         std::ranges::all_of(problem.runs,
                             [](const Run& run) { return may_be_batched(run); });
}

Options batch_options(Options options) {
  options.device = {DeviceRequest::Kind::cpu};
  options.solver = SolverChoice::direct;
  options.operator_choice = OperatorChoice::dense;
  return options;
}

bool fits_batch(const SolveContext& context, const BatchSolver& solver) {
  for (std::size_t r = 0; r < context.problem().runs.size(); ++r) {
    const Run& run = context.run(r);
    const Discretization& discretization = context.discretization(r);
    // A port at each source and at both ends of each network, at most.
    if (!solver.takes(discretization.unknowns(),
                      run.sources.size() + 2 * run.networks.size()))
      return false;
    const double lowest_hz = *std::ranges::min_element(run.frequency_hz);
    if (is_small_for_loops(discretization.elements(), image_medium_of(run.ground),
                           wavenumber_rad_per_m(lowest_hz)))
      return false;
  }
  return true;
}

}  // namespace thinwire
