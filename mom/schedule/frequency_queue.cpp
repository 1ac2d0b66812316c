#include "mom/schedule/frequency_queue.h"

#include <memory>
#include <numeric>
#include <span>

#include "mom/schedule/fast_sweep.h"
#include "mom/schedule/side_by_side.h"

namespace thinwire {
namespace {

struct FrequencyStep {
  std::size_t number;
  std::size_t run;
  double frequency_hz;
};
using Steps = std::span<const FrequencyStep>;

std::vector<FrequencyStep> steps_of(const Problem& problem) {
  std::vector<FrequencyStep> steps;
  for (std::size_t r = 0; r < problem.runs.size(); ++r)
    for (const double f : problem.runs[r].frequency_hz)
      steps.push_back({steps.size(), r, f});
  return steps;
}

std::vector<double> frequencies_of(Steps steps) {
  std::vector<double> frequency_hz;
  for (const FrequencyStep& step : steps) frequency_hz.push_back(step.frequency_hz);
  return frequency_hz;
}

/// Solves steps, those of one run after those of another.
class QueueSolver {
 public:
  QueueSolver(const SolveContext& context, FrequencyQueue& queue, FrequencySolver& solver)
      : context_(context), queue_(queue), solver_(solver) {}

  /// steps: of one run.
  void solve(Steps steps) {
    if (steps.front().run != run_) {
      // The clones share what the solver has of the run before.
      clones_.clear();
      run_ = steps.front().run;
      if (models_others(steps)) return;
      solve_one(steps.front());
      steps = steps.subspan(1);
    }
    if (steps.empty()) return;
    if (clones_.empty()) clones_ = make_clones(solver_, context_, run_, steps.size());
    std::size_t together = clones_.empty() ? 0 : steps.size();
    if (together > 0 && context_.options().save_matrix) --together;
    if (together > 0) solve_concurrently(steps.first(together));
    for (const FrequencyStep& step : steps.subspan(together)) solve_one(step);
  }

 private:
  void solve_one(const FrequencyStep& step) {
    queue_.done(step.number, solver_.solve(run_, step.frequency_hz, queue_.progress(1)));
  }

  void solve_concurrently(Steps steps) {
    solve_side_by_side(solver_, clones_, run_, frequencies_of(steps),
                       queue_.progress(steps.size()),
                       [&](std::size_t i, FrequencyOutcome&& outcome) {
                         queue_.done(steps[i].number, std::move(outcome));
                       });
  }

  /// Solves some frequencies of a run and models the others; false where all are to be
  /// solved. steps: all of the run.
  bool models_others(Steps steps) {
    if (context_.options().sweep != SweepChoice::fast ||
        !no_fast_sweep(context_, run_).empty())
      return false;
    const auto solve = [&](const std::vector<double>& frequency_hz, const Monitor& all) {
      std::vector<SolvedFrequency> solved(frequency_hz.size());
      const auto count = static_cast<double>(solved.size());
      for (std::size_t i = 0; i < solved.size(); ++i) {
        const auto done = static_cast<double>(i);
        solved[i].outcome = solver_.solve(run_, frequency_hz[i],
                                          all.part(done / count, (done + 1) / count),
                                          &solved[i].currents);
      }
      return solved;
    };
    std::vector<FrequencyOutcome> outcomes =
        fast_sweep(context_, run_, solve, queue_.progress(steps.size()));
    for (std::size_t i = 0; i < steps.size(); ++i)
      queue_.done(steps[i].number, std::move(outcomes[i]));
    return true;
  }

  const SolveContext& context_;
  FrequencyQueue& queue_;
  FrequencySolver& solver_;
  std::vector<std::unique_ptr<FrequencySolver>> clones_;
  std::size_t run_ = static_cast<std::size_t>(-1);  ///< of the last step
};

}  // namespace

AllFrequencies::AllFrequencies(const Problem& problem, Monitor monitor)
    : monitor_(std::move(monitor)), left_(step_count(problem)), outcomes_(left_.size()) {
  std::iota(left_.begin(), left_.end(), std::size_t{0});
}

void AllFrequencies::done(std::size_t step, FrequencyOutcome&& outcome) {
  outcomes_[step] = std::move(outcome);
  ++done_count_;
}

Monitor AllFrequencies::progress(std::size_t steps) const {
  const auto done = static_cast<double>(done_count_),
             all = static_cast<double>(outcomes_.size());
  return monitor_.part(done / all, (done + static_cast<double>(steps)) / all);
}

void solve_queue(const SolveContext& context, FrequencyQueue& queue,
                 FrequencySolver& frequency_solver) {
  const std::vector<FrequencyStep> all = steps_of(context.problem());
  QueueSolver solver(context, queue, frequency_solver);
  for (auto next = queue.next(); !next.empty(); next = queue.next())
    for (std::size_t first = 0, last = 0; first < next.size(); first = last) {
      std::vector<FrequencyStep> steps;
      while (last < next.size() && all.at(next[last]).run == all.at(next[first]).run)
        steps.push_back(all[next[last++]]);
      solver.solve(steps);
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
  std::size_t count = 0;
  for (const Run& run : problem.runs) count += run.frequency_hz.size();
  return count;
}

}  // namespace thinwire
