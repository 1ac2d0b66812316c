#include "mom/schedule/solve_job.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernels/base/host_memory.h"
#include "kernels/base/openmp_threads.h"
#include "kernels/base/stopwatch.h"
#include "mom/plan/planner.h"
#include "mom/postprocess/coupling.h"
#include "mom/schedule/fast_sweep.h"
#include "mom/schedule/frequency_queue.h"
#include "mom/schedule/frequency_solver.h"
#include "mom/schedule/solve_context.h"

namespace thinwire {
namespace {

void add(const Timings& some, Timings& sum) {
  sum.fill += some.fill;
  sum.factor += some.factor;
  sum.solve += some.solve;
  sum.post += some.post;
}

/// Puts together what single frequencies come to, in the order of the deck.
class SolutionBuilder {
 public:
  explicit SolutionBuilder(const Problem& problem) : problem_(problem) {}

  void warn(Warning warning) {
    if (warned_about_.insert(std::move(warning.about)).second)
      solution.warnings.push_back(std::move(warning.text));
  }

  void take(FrequencyOutcome&& outcome) {
    for (Warning& warning : outcome.warnings) warn(std::move(warning));
    for (FrequencyResult& result : outcome.results) {
      result.couplings = couplings(problem_, solution.frequencies, result);
      solution.frequencies.push_back(std::move(result));
    }
    if (outcome.stored) solution.stored = std::move(outcome.stored);
    add(outcome.timings_s, solution.timings_s);
  }

  Solution solution;

 private:
  const Problem& problem_;
  std::set<std::string> warned_about_;  ///< what warnings were about
};

bool is_first_rank(const Options& options) {
  return options.ranks == nullptr || options.ranks->rank() == 0;
}

/// The matrix of the frequency solved last, to where it is wanted.
void keep_matrix_of(const FrequencySolver& solver, const SolveContext& context,
                    Solution& solution) {
  const Options& options = context.options();
  if (options.matrix_sink == nullptr) {
    solution.impedance_matrix_ohm = solver.dense();
    return;
  }
  const Stopwatch watch(solution.timings_s.write);
  MatrixSink& sink = *options.matrix_sink;
  const bool shared =
      solver.scatters_rows() &&
      sink.share(context.discretization(context.problem().runs.size() - 1).unknowns());
  const auto take = [&](std::size_t n, std::size_t first, std::span<const Complex> rows) {
    options.monitor.report("write", 1);
    if (shared || is_first_rank(options)) sink.take(n, first, rows);
  };
  if (!shared) return solver.gather_rows(take);
  solver.scatter_rows(take);
  sink.end_shared();
}

/// Warns where a fast sweep was asked for and every frequency was solved.
void warn_of_full_sweep(const SolveContext& context, SolutionBuilder& builder) {
  if (context.options().sweep != SweepChoice::fast) return;
  constexpr const char* about = "fast sweep";
  for (std::size_t run = 0; run < context.problem().runs.size(); ++run)
    if (std::string why = no_fast_sweep(context, run); !why.empty())
      builder.warn({std::move(why), about});
  if (std::ranges::none_of(builder.solution.frequencies, [](const FrequencyResult& f) {
        return f.solver.model_error.has_value();
      }))
    builder.warn(
        {"every frequency was solved, not only some: they are too few, or too "
         "far apart, for a model",
         about});
}

/// Solves the frequencies of the queue, and takes what it collects.
void solve_all(const SolveContext& context, const FrequencyQueue& queue,
               SolutionBuilder& builder) {
  const Problem& problem = context.problem();
  const std::size_t steps = step_count(problem);
  FrequencySolver solver(context);
  solve_queue(context, queue, solver);
  if (!queue.take) return;
  for (std::size_t step = 0; step < steps; ++step) builder.take(queue.take(step));
  warn_of_full_sweep(context, builder);
  if (!context.options().save_matrix || steps == 0) return;
  // The last frequency need not be the one solved last.
  if (context.options().sweep == SweepChoice::fast)
    (void)solver.solve(problem.runs.size() - 1, problem.runs.back().frequency_hz.back(),
                       context.options().monitor.part(1, 1));
  keep_matrix_of(solver, context, builder.solution);
}

}  // namespace

struct SolveJob::Parts {
  Planner& planner;
  Options options = planner.options();
  SolutionBuilder builder{planner.problem()};
  std::optional<SolveContext> context = {};
};

SolveJob::SolveJob(Planner& planner, GainDerivativesOf derivatives_of)
    : parts_(new Parts{planner}) {
  Parts& p = *parts_;
  const Problem& problem = planner.problem();
  Solution& solution = p.builder.solution;
  require_thread_stacks(thread_count(p.options));
  for (const std::string& warning : planner.warnings()) p.builder.warn({warning});
  solution.segments = problem.structure.segments().size();
  solution.unknowns = planner.meshes().largest().unknowns();
  if (p.options.save_matrix && p.options.matrix_sink != nullptr &&
      is_first_rank(p.options) && !problem.runs.empty())
    p.options.matrix_sink->expect(
        planner.meshes().of(problem.runs.size() - 1).unknowns());
  if (!problem.runs.empty()) {
    const bool shared = p.options.ranks && p.options.ranks->ranks() > 1;
    const Plan& plan = shared ? planner.choose(p.options, shares_of_ranks(p.options))
                              : planner.choose(p.options);
    if (!plan.gpu && (p.options.device.kind == DeviceRequest::Kind::cuda ||
                      p.options.precision != PrecisionChoice::in_double))
      p.builder.warn(
          {fmt::format("solved by the CPU in double precision ({})", plan.solver.why)});
    const Stopwatch watch(solution.timings_s.total);
    const OpenMpThreads threads(thread_count(p.options));
    const double prepared = prepared_share(plan);
    {
      const Stopwatch meshing(solution.timings_s.mesh);
      planner.meshes().prepare_proximity(p.options.monitor.part(mesh_share, prepared));
    }
    p.options.monitor = p.options.monitor.part(prepared, 1);
    p.context.emplace(planner, p.options, derivatives_of);
  }
  solution.timings_s.mesh += planner.mesh_s();
  solution.timings_s.total += planner.seconds();
}

SolveJob::~SolveJob() = default;

SolveContext* SolveJob::context() const {
  return parts_->context ? &*parts_->context : nullptr;
}

Timings& SolveJob::timings_s() {
  return parts_->builder.solution.timings_s;
}

Solution SolveJob::finish(const FrequencyQueue* queue) {
  Parts& p = *parts_;
  Solution& solution = p.builder.solution;
  {
    const Stopwatch watch(solution.timings_s.total);
    const OpenMpThreads threads(thread_count(p.options));
    if (p.context) {
      solution.device = p.context->backend().name();
      std::vector<FrequencyOutcome> outcomes(step_count(p.planner.problem()));
      const FrequencyQueue all = {
          own_tasks(outcomes.size(), p.options.monitor),
          [&](std::size_t step, FrequencyOutcome&& outcome) {
            outcomes[step] = std::move(outcome);
          },
          [&](std::size_t step) { return std::move(outcomes[step]); }};
      solve_all(*p.context, queue == nullptr ? all : *queue, p.builder);
    }
    p.options.monitor.check();
    p.options.monitor.done();
  }
  return std::move(solution);
}

}  // namespace thinwire
