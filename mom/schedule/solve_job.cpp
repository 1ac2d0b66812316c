#include "mom/schedule/solve_job.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "kernels/base/host_memory.h"
#include "kernels/base/openmp_threads.h"
#include "kernels/base/stopwatch.h"
#include "mom/media/real_ground.h"
#include "mom/plan/frequency_checks.h"
#include "mom/plan/run_meshes.h"
#include "mom/postprocess/coupling.h"
#include "mom/problem/stored_matrix.h"
#include "mom/schedule/fast_sweep.h"
#include "mom/schedule/frequency_solver.h"
#include "mom/schedule/side_by_side.h"
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

constexpr const char* about_fast_sweep = "fast sweep";

/// Some frequencies of a run, the others modelled; false where that can't be.
bool solve_some(const SolveContext& context, std::size_t run, FrequencySolver& solver,
                const Monitor& monitor, SolutionBuilder& builder) {
  if (context.options().sweep != SweepChoice::fast) return false;
  if (std::string why = no_fast_sweep(context, run); !why.empty()) {
    builder.warn({std::move(why), about_fast_sweep});
    return false;
  }
  const auto solve = [&](const std::vector<double>& frequency_hz, const Monitor& part) {
    std::vector<SolvedFrequency> solved(frequency_hz.size());
    const auto count = static_cast<double>(solved.size());
    for (std::size_t i = 0; i < solved.size(); ++i) {
      const auto done = static_cast<double>(i);
      solved[i].outcome =
          solver.solve(run, frequency_hz[i], part.part(done / count, (done + 1) / count),
                       &solved[i].currents);
    }
    return solved;
  };
  for (FrequencyOutcome& outcome : fast_sweep(context, run, solve, monitor))
    builder.take(std::move(outcome));
  return true;
}

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

/// Solves every run at every frequency: the first of a run by all threads, and the others
/// side by side where its solver can be cloned.
void solve_all(const SolveContext& context, SolutionBuilder& builder) {
  const Problem& problem = context.problem();
  std::size_t steps = 0, step = 0;
  for (const Run& run : problem.runs) steps += run.frequency_hz.size();
  const auto next_steps = [&](std::size_t count) {
    const double first = static_cast<double>(step) / static_cast<double>(steps);
    step += count;
    return context.options().monitor.part(
        first, static_cast<double>(step) / static_cast<double>(steps));
  };
  const bool keep_matrix = context.options().save_matrix;
  FrequencySolver solver(context);
  for (std::size_t r = 0; r < problem.runs.size(); ++r) {
    const std::size_t before = step;
    if (solve_some(context, r, solver, next_steps(problem.runs[r].frequency_hz.size()),
                   builder))
      continue;
    step = before;
    std::span<const double> left = problem.runs[r].frequency_hz;
    while (!left.empty()) {
      builder.take(solver.solve(r, left.front(), next_steps(1)));
      left = left.subspan(1);
      // A matrix that is kept is that of the last frequency, which `solver` is to solve.
      const std::size_t together = left.size() - (keep_matrix && !left.empty() ? 1 : 0);
      const auto clones = make_clones(solver, context, r, together);
      if (clones.empty()) continue;
      for (FrequencyOutcome& outcome : solve_side_by_side(
               solver, clones, r, left.first(together), next_steps(together)))
        builder.take(std::move(outcome));
      left = left.subspan(together);
    }
  }
  if (context.options().sweep == SweepChoice::fast &&
      std::ranges::none_of(builder.solution.frequencies, [](const FrequencyResult& f) {
        return f.solver.model_error.has_value();
      }))
    builder.warn(
        {"every frequency was solved, not only some: they are too few, or too "
         "far apart, for a model",
         about_fast_sweep});
  if (!keep_matrix || steps == 0) return;
  // The last frequency need not be the one solved last.
  if (context.options().sweep == SweepChoice::fast)
    (void)solver.solve(problem.runs.size() - 1, problem.runs.back().frequency_hz.back(),
                       context.options().monitor.part(1, 1));
  keep_matrix_of(solver, context, builder.solution);
}

}  // namespace

/// The part of a solve's progress that the mesh takes.
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
    p.options.monitor.report("done", 1);
  }
  return std::move(solution);
}

}  // namespace thinwire
