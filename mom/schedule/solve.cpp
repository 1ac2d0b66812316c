#include "mom/schedule/solve.h"

#include <optional>
#include <string>
#include <utility>

#include "kernels/base/error.h"
#include "mom/problem/stored_matrix.h"
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

/// Of the progress of a solve.
constexpr double mesh_share = 0.02;

struct SolveJob::Parts {
  const Problem& problem;
  Options options;
  SolutionBuilder builder{problem};
  std::optional<RunMeshes> meshes = {};
  std::optional<SolveContext> context = {};
};

SolveJob::SolveJob(const Problem& problem, const Options& wanted,
                   GainDerivativesOf derivatives_of)
    : parts_(new Parts{problem, options_for_stored(problem, wanted)}) {
  Parts& p = *parts_;
  Solution& solution = p.builder.solution;
  const Stopwatch watch(solution.timings_s.total);
  check_options(p.options);
  check_real_ground(problem, p.options);
  require_thread_stacks(thread_count(p.options));
  const OpenMpThreads threads(thread_count(p.options));
  {
    const Stopwatch meshing(solution.timings_s.mesh);
    const Monitor whole = p.options.monitor;
    p.options.monitor = whole.part(0, mesh_share);
    p.meshes.emplace(problem, p.options);
    p.options.monitor = whole.part(mesh_share, 1);
  }
  for (std::string& warning : check_frequencies(problem, *p.meshes))
    p.builder.warn({std::move(warning)});
  solution.segments = problem.structure.segments().size();
  solution.unknowns = p.meshes->largest().unknowns();
  if (p.options.save_matrix && p.options.matrix_sink != nullptr &&
      is_first_rank(p.options) && !problem.runs.empty())
    p.options.matrix_sink->expect(p.meshes->of(problem.runs.size() - 1).unknowns());
  if (!problem.runs.empty())
    p.context.emplace(problem, p.options, *p.meshes, derivatives_of);
}

SolveJob::~SolveJob() = default;

SolveContext* SolveJob::context() {
  return parts_->context ? &*parts_->context : nullptr;
}

Timings& SolveJob::timings_s() {
  return parts_->builder.solution.timings_s;
}

Solution SolveJob::finish(FrequencyQueue* queue) {
  Parts& p = *parts_;
  Solution& solution = p.builder.solution;
  {
    const Stopwatch watch(solution.timings_s.total);
    const OpenMpThreads threads(thread_count(p.options));
    if (p.context) {
      solution.device = p.context->backend().name();
      if (queue == nullptr) {
        solve_all(*p.context, p.builder);
      } else {
        solve_queue(*p.context, *queue);
        for (std::size_t i = 0; queue->collects() && i < step_count(p.problem); ++i)
          p.builder.take(queue->outcome(i));
      }
    }
    p.options.monitor.tell("done", 1);
  }
  return std::move(solution);
}

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
