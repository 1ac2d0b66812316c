#include "mom/solve.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <omp.h>

#include "mom/coupling.h"
#include "mom/frequency_checks.h"
#include "mom/frequency_solver.h"
#include "mom/real_ground.h"
#include "mom/run_meshes.h"
#include "mom/solve_context.h"
#include "mom/stopwatch.h"
#include "mom/stored_matrix.h"

namespace thinwire {
namespace {

void add(const Timings& some, Timings& sum) {
  sum.fill += some.fill;
  sum.factor += some.factor;
  sum.solve += some.solve;
  sum.post += some.post;
}

/// Puts together what single frequencies come to, in the order of the deck.
class Collection {
 public:
  explicit Collection(const Problem& problem) : problem_(problem) {}

  void warn(Warning warning) {
    auto& texts = solution.warnings;
    const auto cause = static_cast<std::size_t>(warning.cause);
    if (warning.cause != Warning::Cause::text && std::exchange(told_[cause], true))
      return;
    if (std::find(texts.begin(), texts.end(), warning.text) == texts.end())
      texts.push_back(std::move(warning.text));
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
  std::array<bool, 3> told_ = {};  ///< of each Warning::Cause
};

/// Solves every run at every frequency.
void solve_all(const SolveContext& context, Collection& collection) {
  const Problem& problem = context.problem();
  std::size_t steps = 0, step = 0;
  for (const Run& run : problem.runs) steps += run.frequency_hz.size();
  const auto share = [&](std::size_t done) {
    return static_cast<double>(done) / static_cast<double>(steps);
  };
  FrequencySolver solver(context);
  for (std::size_t r = 0; r < problem.runs.size(); ++r)
    for (const double frequency_hz : problem.runs[r].frequency_hz) {
      collection.take(solver.solve(
          r, frequency_hz, context.options().monitor.part(share(step), share(step + 1))));
      ++step;
    }
  if (context.options().save_matrix && steps > 0)
    collection.solution.impedance_matrix_ohm = solver.dense();
}

}  // namespace

Solution solve(const Problem& problem, const Options& wanted) {
  double seconds = 0;
  Collection collection(problem);
  Solution& solution = collection.solution;
  {
    const Stopwatch watch(seconds);
    const Options options = options_for_stored(problem, wanted);
    check_options(options);
    check_real_ground(problem, options);
    omp_set_num_threads(thread_count(options));
    std::optional<RunMeshes> meshes;
    {
      const Stopwatch meshing(solution.timings_s.mesh);
      meshes.emplace(problem, options);
    }
    for (std::string& warning : check_frequencies(problem, *meshes))
      collection.warn({std::move(warning)});
    solution.segments = problem.structure.segments().size();
    solution.unknowns = meshes->largest().unknowns();
    if (!problem.runs.empty()) {
      const SolveContext context(problem, options, *meshes);
      solution.device = context.backend().name();
      solve_all(context, collection);
    }
    options.monitor.tell("done", 1);
  }
  solution.timings_s.total = seconds;
  return std::move(solution);
}

}  // namespace thinwire
