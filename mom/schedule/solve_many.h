#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "kernels/base/error.h"
#include "mom/plan/planner.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"
#include "mom/problem/solution.h"
#include "mom/schedule/batch_solver.h"
#include "mom/schedule/tasks.h"

namespace thinwire {

/// Problems to be solved for what they are: variants of an antenna, a population.
struct ManyProblems {
  TaskQueue tasks;  ///< numbers of those to be solved
  /// The problem of a number. Several threads call it at once.
  std::function<Problem(std::size_t number)> problem_at;
  /// Gets each solution as soon as it is there, in any order. Several threads call it at
  /// once.
  std::function<void(std::size_t number, const Problem& problem, Solution&& solution)>
      done;
  /// Returns the beginning of an error's message. May be empty where `failed` is not.
  std::function<std::string(std::size_t number)> name;
  /// Gets what could not be read or solved, as `done` gets solutions; empty: the first
  /// error ends all.
  std::function<void(std::size_t number, const Error& error)> failed = {};
};

/// Where many problems like this one are solved.
enum class ManyChoice {
  one_by_one,    ///< each by all threads, or a GPU
  side_by_side,  ///< one on each thread of the CPU
  batches,       ///< matrices on a GPU, all else one on each thread
};

/// Predicted seconds of `count` problems like this one, by the wall clock.
struct ManyCost {
  double side_by_side_s = 0;
  double batches_s = 0;  ///< with the GPU's start
};
ManyCost cost_of_many(Planner& planner, std::size_t count, const Options& options);

/// By Options::device and, for `auto`, by the predicted time of `count` of them; does not
/// look for a GPU where the CPU takes no longer than a GPU's start. planner: of one of
/// them. Throws as Planner::choose().
ManyChoice choose_for_many(Planner& planner, std::size_t count, const Options& options);

/// Solves them all. Throws the first error that `failed` does not get, which `name`
/// starts, once the others in work are done; and Error{interrupted}. Calls the monitor
/// of the tasks from the calling thread.
void solve_many(const ManyProblems& many, ManyChoice choice, const Options& options);

/// Solves them in batches by this solver, `at_once` problems in each. `options` apply to
/// problems that do not fit, which are solved one by one.
void solve_in_batches(const ManyProblems& many,
                      const std::function<std::unique_ptr<BatchSolver>()>& make_solver,
                      std::size_t at_once, const Options& options);

}  // namespace thinwire
