#include "mom/schedule/batches.h"

#include <algorithm>
#include <future>
#include <vector>

#include "kernels/base/stopwatch.h"
#include "mom/discretization/loops.h"
#include "mom/gpu/gpu.h"
#include "mom/media/medium.h"

namespace thinwire {
namespace {

bool may_be_batched(const Run& run) {
  return !run.ground.is_real() && run.ground.kind != Ground::Kind::coefficients &&
         !run.waves && run.matrix_file.empty() && !run.sources.empty() &&
         !run.frequency_hz.empty();
}

/// Counts seconds that were spent on a problem's systems.
void spend(SolveJob& job, double seconds) {
  job.timings_s().solve += seconds;
  job.timings_s().total += seconds;
}

void solve_together(std::span<BatchedJob* const> jobs, const BatchSolver& solver) {
  if (jobs.empty()) return;
  std::vector<const BatchSystem*> systems;
  for (const BatchedJob* of : jobs)
    for (const BatchSystem& system : of->backend->systems()) systems.push_back(&system);
  std::vector<BatchSolution> solutions =
      solver.solve(systems, jobs.front()->job.context()->options().kernel);
  auto next = std::make_move_iterator(solutions.begin());
  for (BatchedJob* of : jobs) {
    const auto count = static_cast<std::ptrdiff_t>(of->backend->systems().size());
    of->backend->take(solver.name(), {next, next + count});
    next += count;
  }
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

BatchedJob::BatchedJob(Planner& planner) : job(planner) {
  double seconds = 0;
  {
    const Stopwatch watch(seconds);
    backend = BatchBackend::collect(*job.context());
  }
  spend(job, seconds);
}

bool BatchedJob::fits(const BatchSolver& solver) const {
  const SolveContext& context = *job.context();
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

Solution BatchedJob::finish() {
  job.context()->use(*backend);
  return job.finish();
}

void solve_batch(std::span<BatchedJob* const> jobs, const BatchSolver& solver) {
  double seconds = 0;
  {
    const Stopwatch watch(seconds);
    // In two halves: the host puts one together while the GPU has the other.
    const std::size_t half = jobs.size() / 2;
    auto first =
        std::async(std::launch::async, [&] { solve_together(jobs.first(half), solver); });
    solve_together(jobs.subspan(half), solver);
    first.get();
  }
  for (BatchedJob* of : jobs) spend(of->job, seconds / static_cast<double>(jobs.size()));
}

std::unique_ptr<BatchSolver> gpu_batch_solver(int index) {
  const Gpu& gpu = require_gpu();
  (void)gpu.use(index);
  return gpu.batch_solver();
}

bool wants_a_batch(const Problem& problem, const Options& options) {
  return options.device.kind == DeviceRequest::Kind::cuda &&
         may_be_batched(problem, options) && step_count(problem) >= min_batch_systems;
}

std::optional<Solution> solve_in_a_batch(Planner& planner, const BatchSolver& solver) {
  const Options asked = planner.options();
  planner.choose(batch_options(asked));
  BatchedJob of(planner);
  if (!of.fits(solver)) {
    planner.choose(asked);
    return {};
  }
  BatchedJob* const jobs[] = {&of};
  solve_batch(jobs, solver);
  return of.finish();
}

}  // namespace thinwire
