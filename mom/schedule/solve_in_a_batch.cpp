#include "mom/schedule/solve_in_a_batch.h"

#include <vector>

#include "kernels/base/stopwatch.h"
#include "mom/gpu/gpu.h"
#include "mom/schedule/batch_backend.h"
#include "mom/schedule/batch_fit.h"
#include "mom/schedule/frequency_queue.h"
#include "mom/schedule/solve_job.h"

namespace thinwire {

std::unique_ptr<BatchSolver> gpu_batch_solver(int index) {
  const Gpu& gpu = require_gpu();
  (void)gpu.use(index);
  return gpu.batch_solver();
}

bool wants_a_batch(const Problem& problem, const Options& options) {
  return options.device.kind == DeviceRequest::Kind::cuda &&
         may_be_batched(problem, options) && step_count(problem) >= min_batch_systems;
}

std::optional<Solution> solve_in_a_batch(Planner& planner) {
  if (!wants_a_batch(planner.problem(), planner.options())) return {};
  return solve_in_a_batch(planner, *gpu_batch_solver(planner.options().device.index));
}

std::optional<Solution> solve_in_a_batch(Planner& planner, const BatchSolver& solver) {
  const Options asked = planner.options();
  planner.choose(batch_options(asked));
  SolveJob job(planner);
  SolveContext& context = *job.context();
  if (!fits_batch(context, solver)) {
    planner.choose(asked);
    return {};
  }
  std::unique_ptr<BatchBackend> backend;
  {
    const Stopwatch watch(job.timings_s().solve);
    backend = BatchBackend::collect(context);
    std::vector<const BatchSystem*> systems;
    for (const BatchSystem& system : backend->systems()) systems.push_back(&system);
    backend->take(solver.name(), solver.solve(systems, context.options().kernel));
  }
  job.timings_s().total += job.timings_s().solve;
  context.use(*backend);
  return job.finish();
}

}  // namespace thinwire
