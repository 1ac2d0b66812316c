#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mom/optimize/goal.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// One goal's quantity at one of its frequencies.
struct GoalTerm {
  double value = 0;
  /// Derivatives by Problem::parameters; empty where there are none.
  std::vector<double> derivatives;
};

/// The goals of an optimisation on the antenna that they are of: what has to be solved
/// for them, and what they come to then.
///
/// They are of the problem's first run with sources: its ground, loads, networks and
/// sources, at the goals' frequencies.
class GoalSet {
 public:
  /// base: the problem before anything is changed. Throws Error{usage} where no run has
  /// sources (or it has incident waves), a goal is of a source or of a direction that it
  /// does not have, or a run keeps its matrix.
  GoalSet(std::vector<Goal> goals, const Problem& base, double reference_ohm);

  const std::vector<Goal>& goals() const { return goals_; }
  std::span<const double> frequency_hz() const { return frequency_hz_; }
  double reference_ohm() const { return reference_ohm_; }
  /// Whether all goals have derivatives where Problem::parameters are given.
  bool have_derivatives() const;

  /// Returns the variant with only those runs and requests that the goals need.
  Problem asked(Problem variant) const;
  /// The terms of each goal, one for each of its frequencies, of the solution of that.
  std::vector<std::vector<GoalTerm>> terms(const Solution& solution) const;

 private:
  GoalTerm term(const Goal& goal, const FrequencyResult& result,
                std::size_t pattern) const;

  std::vector<Goal> goals_;
  double reference_ohm_;
  std::size_t run_ = 0;
  std::vector<double> frequency_hz_;               ///< of all goals, ascending
  std::vector<std::vector<std::size_t>> results_;  ///< [goals]: into frequency_hz_
  std::vector<PatternRequest> patterns_;
  std::vector<std::size_t> pattern_of_;  ///< [goals]: first of a goal's patterns
};

/// Combines the terms of a goal (Goal::over); for `each`, returns the term that is
/// farthest from the goal's bound.
double value_of(const Goal& goal, std::span<const GoalTerm> terms);

}  // namespace thinwire
