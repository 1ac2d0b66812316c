#include "mom/optimize/optimize.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <random>

#include "cg/blas_threads.h"
#include "kernels/base/counted.h"
#include "kernels/base/error.h"
#include "kernels/base/stopwatch.h"
#include "mom/optimize/cma_es.h"
#include "mom/optimize/search.h"

namespace thinwire {
namespace {

using Clock = std::chrono::steady_clock;

void check(std::size_t variables) {
#ifndef THINWIRE_WITH_NLOPT
  throw Error(ErrorKind::usage,
              "optimize: this thinwire was built without NLopt. Install NLopt (Debian: "
              "libnlopt-dev) and build it again.");
#endif
  if (variables == 0)
    throw Error(ErrorKind::usage,
                "optimize: nothing to vary. Give --vary NAME=LOWER:UPPER.");
}

/// The first at the variables' starts, the others a Latin hypercube: in each variable one
/// in each of as many equal parts of its range. The same on every machine.
std::vector<std::vector<double>> starting_points(const std::vector<Variable>& variables,
                                                 const Evaluator& evaluator, int count) {
  std::vector<double> first;
  for (const Variable& variable : variables) first.push_back(variable.start);
  const auto others = static_cast<std::size_t>(count - 1);
  std::vector<std::vector<double>> points(others + 1,
                                          std::vector<double>(variables.size()));
  points[0] = evaluator.unit_at(first);
  std::mt19937_64 random(1);
  for (std::size_t v = 0; v < variables.size(); ++v)
    for (std::size_t p = 1; p <= others; ++p) {
      points[p][v] = (static_cast<double>(p) - 0.5) / static_cast<double>(others);
      std::swap(points[p][v], points[1 + random() % p][v]);
    }
  return points;
}

/// Progress that all searches share.
class Progressing {
 public:
  Progressing(const GoalSet& goals, const SearchSettings& settings,
              const Monitor& monitor)
      : settings_(settings), monitor_(monitor) {
    wants_bounds_only_ = std::all_of(goals.goals().begin(), goals.goals().end(),
                                     [](const Goal& goal) { return goal.is_bound(); });
  }

  /// Whether the searches go on.
  bool report(const Evaluation& evaluation) {
    const std::lock_guard lock(one_at_a_time_);
    ++count_;
    if (!evaluation.goals.empty() &&
        (!best_ || evaluation.score.is_better_than(best_->score)))
      best_ = evaluation;
    const double elapsed = seconds_since(start_);
    if (wants_bounds_only_ && best_ && best_->score.keeps_bounds())
      end_now("all goals are met");
    if (settings_.seconds > 0 && elapsed > settings_.seconds)
      end_now("the time is used up");
    double done =
        static_cast<double>(count_) / static_cast<double>(settings_.evaluations);
    if (settings_.seconds > 0) done = std::max(done, elapsed / settings_.seconds);
    monitor_.report(step().c_str(), std::min(done, 1.0));
    return going_on_;
  }

  bool is_going_on() const { return going_on_; }
  /// Once the searches are over.
  const std::string& ended() const { return ended_; }
  void end(const char* why) {
    const std::lock_guard lock(one_at_a_time_);
    end_now(why);
  }

 private:
  /// "123 evaluations, best: vswr 1.31, gain 10.9".
  std::string step() const {
    std::string text = counted(count_, "evaluation");
    if (!best_) return text;
    for (std::size_t g = 0; g < best_->goals.size(); ++g)
      text += fmt::format("{} {:.4g}", g == 0 ? ", best" : ",", best_->goals[g]);
    return text;
  }

  void end_now(const char* why) {
    if (going_on_.exchange(false)) ended_ = why;
  }

  const SearchSettings& settings_;
  const Monitor& monitor_;
  Clock::time_point start_ = Clock::now();
  bool wants_bounds_only_ = false;
  std::mutex one_at_a_time_;
  std::size_t count_ = 0;
  std::optional<Evaluation> best_;
  std::string ended_;
  std::atomic<bool> going_on_ = true;
};

/// Merges the evaluations of all searches, in turn.
void merge(const std::vector<Search>& searches, Optimization& result) {
  std::size_t longest = 0;
  for (const Search& search : searches)
    longest = std::max(longest, search.evaluations().size());
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < longest; ++i)
    for (const Search& search : searches) {
      if (i >= search.evaluations().size()) continue;
      const Evaluation& evaluation = search.evaluations()[i];
      const std::size_t at = result.evaluations.size();
      result.evaluations.push_back(evaluation);
      if (evaluation.goals.empty())
        ++result.failed;
      else if (!best || evaluation.score.is_better_than(result.evaluations[*best].score))
        best = at;
    }
  ErrorKind kind = ErrorKind::numeric;
  for (const Search& search : searches) {
    if (result.first_failure.empty()) {
      result.first_failure = search.first_failure();
      if (is_of_machine(search.failure_kind())) kind = search.failure_kind();
    }
    result.exact_derivatives |= search.took_exact_derivatives();
  }
  if (!best && result.interrupted)
    throw Error(ErrorKind::interrupted, "interrupted. Nothing was written.");
  if (!best)
    throw Error(kind, fmt::format("optimize: no variant could be solved. The first: {}",
                                  result.first_failure));
  result.best = *best;
}

/// Returns the variables by which every derivative that a search saw is zero.
std::vector<std::size_t> idle_variables(const std::vector<Search>& searches,
                                        std::size_t variables) {
  std::vector<std::size_t> idle;
  if (std::ranges::none_of(searches, &Search::saw_derivatives)) return idle;
  for (std::size_t v = 0; v < variables; ++v)
    if (std::ranges::none_of(searches, [v](const Search& search) {
          return search.saw_derivatives() && search.changes_a_goal(v);
        }))
      idle.push_back(v);
  return idle;
}

}  // namespace

int default_starts(SearchMethod method) {
  return method == SearchMethod::cma_es ? 1 : 4;
}

int solved_at_once(const SearchSettings& settings, std::size_t variables) {
  return settings.method == SearchMethod::cma_es && settings.starts == 1
             ? static_cast<int>(default_population(variables))
             : settings.starts;
}

void choose_generation(std::size_t variables, const Problem& variant,
                       const Options& options, SearchSettings& settings) {
  if (settings.method != SearchMethod::cma_es) return;
  Planner planner(variant, options);
  settings.generation = choose_for_many(planner, default_population(variables), options);
}

Optimization optimize(const std::vector<Variable>& variables, const GoalSet& goals,
                      const ProblemAt& problem_at, const SearchSettings& settings,
                      const Options& options) {
  check(variables.size());
  Options of_each = options;
  of_each.monitor = options.monitor.silent();
  const int threads = thread_count(options),
            teams = settings.side_by_side ? std::min(threads, settings.starts) : 1;
  if (settings.side_by_side) of_each.threads = 1;
  Evaluator evaluator(goals, variables, problem_at, of_each);
  evaluator.keep_in(settings.store);
  if (settings.starts == 1) {
    Options of_many = options;
    of_many.monitor = options.monitor.silent();
    evaluator.solve_many_by(settings.generation, of_many);
  }
  Optimization result;
  result.method =
      settings.method == SearchMethod::automatic ? SearchMethod::slsqp : settings.method;
  Progressing progressing(goals, settings, options.monitor);
  // Each has one evaluation at least.
  const auto count = static_cast<int>(std::min<std::size_t>(
      static_cast<std::size_t>(settings.starts), settings.evaluations));
  const std::vector<std::vector<double>> starts =
      starting_points(variables, evaluator, count);
  std::vector<Search> searches;
  for (std::size_t s = 0; s < starts.size(); ++s) {
    const std::size_t share = settings.evaluations / starts.size() +
                              (s < settings.evaluations % starts.size() ? 1 : 0);
    searches.emplace_back(
        evaluator, s, share, settings.resolution,
        [&progressing](const Evaluation& e) { return progressing.report(e); });
  }
  std::exception_ptr failed;
  {
    const BlasThreads blas(of_each.threads == 1 ? 1 : threads);
#pragma omp parallel for schedule(dynamic) num_threads(teams) if (teams > 1)
    for (std::size_t s = 0; s < searches.size(); ++s) {
      try {
        if (progressing.is_going_on()) searches[s].run(result.method, starts[s]);
      } catch (const Error& error) {
#pragma omp critical(thinwire_optimize)
        {
          progressing.end("interrupted");
          if (error.kind() == ErrorKind::interrupted)
            result.interrupted = true;
          else if (!failed)
            failed = std::current_exception();
        }
      } catch (...) {
#pragma omp critical(thinwire_optimize)
        {
          progressing.end("failed");
          if (!failed) failed = std::current_exception();
        }
      }
    }
  }
  if (failed) std::rethrow_exception(failed);
  merge(searches, result);
  result.idle = idle_variables(searches, variables.size());
  if (!result.interrupted) options.monitor.done();
  result.ended = progressing.ended();
  if (result.ended.empty())
    result.ended = result.evaluations.size() >= settings.evaluations
                       ? "the evaluations are used up"
                       : "the searches have converged";
  return result;
}

}  // namespace thinwire
