#include "mom/schedule/frequency_queue.h"

#include <memory>
#include <span>

#include "mom/schedule/frequency_solver.h"
#include "mom/schedule/side_by_side.h"

namespace thinwire {
namespace {

struct FrequencyStep {
  std::size_t run;
  double frequency_hz;
};

std::vector<FrequencyStep> steps_of(const Problem& problem) {
  std::vector<FrequencyStep> steps;
  for (std::size_t r = 0; r < problem.runs.size(); ++r)
    for (const double f : problem.runs[r].frequency_hz) steps.push_back({r, f});
  return steps;
}

/// Solves steps of one run after the other.
class QueueSolver {
 public:
  QueueSolver(const SolveContext& context, FrequencyQueue& queue)
      : context_(context), queue_(queue), solver_(context) {}

  /// number: of the steps, all of one run.
  void solve(std::span<const std::size_t> number, std::span<const FrequencyStep> steps) {
    if (steps.front().run != run_) {
      // Twins share what the solver has of the run before.
      clones_.clear();
      run_ = steps.front().run;
      solve_first(number, steps);
      number = number.subspan(1);
      steps = steps.subspan(1);
    }
    if (clones_.empty()) clones_ = make_clones(solver_, context_, run_, steps.size());
    if (clones_.empty()) {
      for (; !steps.empty(); steps = steps.subspan(1), number = number.subspan(1))
        solve_first(number, steps);
      return;
    }
    std::vector<double> frequency_hz;
    for (const FrequencyStep& step : steps) frequency_hz.push_back(step.frequency_hz);
    (void)solve_side_by_side(solver_, clones_, run_, frequency_hz,
                             context_.options().monitor.silent(),
                             [&](std::size_t i, const FrequencyOutcome& outcome) {
                               queue_.done(number[i], outcome);
                             });
  }

 private:
  void solve_first(std::span<const std::size_t> number,
                   std::span<const FrequencyStep> steps) {
    const Monitor silent = context_.options().monitor.silent();
    queue_.done(number.front(), solver_.solve(run_, steps.front().frequency_hz, silent));
  }

  const SolveContext& context_;
  FrequencyQueue& queue_;
  FrequencySolver solver_;
  std::vector<std::unique_ptr<FrequencySolver>> clones_;
  std::size_t run_ = static_cast<std::size_t>(-1);  ///< of the last step
};

}  // namespace

void solve_queue(const SolveContext& context, FrequencyQueue& queue) {
  const std::vector<FrequencyStep> all = steps_of(context.problem());
  QueueSolver solver(context, queue);
  for (auto next = queue.next(); !next.empty(); next = queue.next())
    for (std::size_t first = 0, last = 0; first < next.size(); first = last) {
      std::vector<FrequencyStep> steps;
      while (last < next.size() && all.at(next[last]).run == all.at(next[first]).run)
        steps.push_back(all[next[last++]]);
      solver.solve(std::span(next).subspan(first, last - first), steps);
    }
}

std::string why_not_distributable(const Problem& problem, const Options& options) {
  if (options.sweep == SweepChoice::fast)
    return "--sweep fast chooses them by those solved before.";
  if (options.save_matrix) return "--save-matrix keeps the matrix of the last one.";
  for (const Run& run : problem.runs)
    if (!run.matrix_file.empty()) return "WG keeps a matrix.";
  return "";
}

std::size_t step_count(const Problem& problem) {
  return steps_of(problem).size();
}

}  // namespace thinwire
