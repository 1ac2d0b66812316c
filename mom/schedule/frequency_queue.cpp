#include "mom/schedule/frequency_queue.h"

#include <algorithm>
#include <memory>
#include <span>

#include <omp.h>

#include "cg/blas_threads.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/openmp_threads.h"
#include "kernels/fill/line_table.h"
#include "mom/schedule/fast_sweep.h"

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
  QueueSolver(const SolveContext& context, const FrequencyQueue& queue,
              FrequencySolver& solver)
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
    if (clones_.empty()) make_clones(steps.size());
    std::size_t together = clones_.empty() ? 0 : steps.size();
    if (together > 0 && context_.options().save_matrix) --together;
    if (together > 0) solve_concurrently(steps.first(together));
    for (const FrequencyStep& step : steps.subspan(together)) solve_one(step);
  }

 private:
  void solve_one(const FrequencyStep& step) {
    queue_.done(step.number, solver_.solve(run_, step.frequency_hz, queue_.progress(1)));
  }

  /// Clones the solver, which has solved a frequency of the run, for threads that solve
  /// `count` more at the same time: as many as threads, memory and work allow. None where
  /// frequencies are better solved one after the other.
  void make_clones(std::size_t count) {
    // Ranks meet over every frequency.
    if (const Comm* ranks = context_.options().ranks; ranks && ranks->ranks() > 1) return;
    std::size_t threads = threads_side_by_side(omp_get_max_threads(), count);
    while (clones_.size() + 1 < threads) {
      auto clone = solver_.clone();
      if (!clone) break;
      if (clones_.empty())
        threads = std::min(
            threads, 1 + host_memory().free / 2 /
                             bytes_side_by_side(context_.discretization(run_).unknowns(),
                                                context_.plan_for(run_)));
      clones_.push_back(std::move(clone));
    }
    if (clones_.size() + 1 > threads) clones_.clear();
  }

  /// Solves each step by one thread with a solver of its own: the same outcomes as one
  /// after the other. Their seconds are the threads' seconds divided by the number of
  /// threads.
  void solve_concurrently(Steps steps) {
    const std::vector<double> frequency_hz = frequencies_of(steps);
    const std::size_t count = steps.size(), threads = clones_.size() + 1;
    const Monitor monitor = queue_.progress(count);
    TaskProgress progress(monitor, "solve", count);
    // Each thread does all of its work alone.
    const BlasThreads one_thread(1);
    const auto solve = [&](std::size_t i) {
      const OpenMpThreads alone(1);
      const int thread = omp_get_thread_num();
      FrequencySolver& mine = thread == 0 ? solver_ : *clones_[thread - 1];
      if (i % LineTable::at_once == 0)
        mine.expect(
            std::span(frequency_hz).subspan(i, std::min(LineTable::at_once, count - i)));
      FrequencyOutcome outcome = mine.solve(run_, frequency_hz[i], monitor.silent());
      for (double* t : {&outcome.timings_s.fill, &outcome.timings_s.factor,
                        &outcome.timings_s.solve, &outcome.timings_s.post})
        *t /= static_cast<double>(threads);
      queue_.done(steps[i].number, std::move(outcome));
      progress.add();
    };
    run_tasks(count, static_cast<int>(threads), solve, LineTable::at_once);
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
  const FrequencyQueue& queue_;
  FrequencySolver& solver_;
  std::vector<std::unique_ptr<FrequencySolver>> clones_;
  std::size_t run_ = static_cast<std::size_t>(-1);  ///< of the last step
};

}  // namespace

void solve_queue(const SolveContext& context, const FrequencyQueue& queue,
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
