#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mom/optimize/goal_set.h"

namespace thinwire {

/// Score of a variant.
struct Score {
  /// Sum of the goals to be small, less that of those to be large, each times its weight.
  double objective = 0;
  /// The largest of what bounds are missed by, each times its weight; 0: all are kept. It
  /// is the reflection coefficient's magnitude for a VSWR, ohm over the reference
  /// resistance for an impedance, dB over 10 for a gain, the fraction of an efficiency.
  double miss = 0;
  double unweighted_violation = 0;  ///< the same without weights

  /// Whether none is missed: a weight says which miss is worse, and not what a miss is.
  bool keeps_bounds() const;
  /// One number for searches that know no bounds: what they make small.
  double merit() const;
  /// Less missed, and where both keep the bounds, the smaller objective.
  bool is_better_than(const Score& other) const;
};

using GoalTerms = std::vector<std::vector<GoalTerm>>;  ///< of GoalSet::terms

/// A goal's miss, before its weight: 0 where it is kept or no bound.
double miss_of(const Goal& goal, double value, double reference_ohm);

Score score_of(const GoalSet& goals, const GoalTerms& terms);

/// The goals for searches that know constraints: smooth functions only.
///
///     make       sum of the smooth goals' weighted values + sum w t + 100 s   small
///     such that  v_f <= t   at each frequency of a goal that is as good as its worst
///                c_f <= s   for each bound at each frequency; s >= 0
///
/// The variables are the problem's own, then one t for each such goal, then s where there
/// are bounds: so there is always a point that keeps all constraints, and s is the miss.
class Program {
 public:
  explicit Program(const GoalSet& goals);

  /// Whether the program minimises goals and violations, or violations alone.
  enum class Aim { goals, bounds };

  /// Variables beyond those of the problem: all t, then s.
  std::size_t extra() const { return worst_.size() + (bounds_.empty() ? 0 : 1); }
  bool has_bounds() const { return !bounds_.empty(); }
  /// Whether bounds are not all that is wanted.
  bool drives() const { return !smooth_.empty() || !worst_.empty(); }
  std::size_t constraints() const;

  /// The extra variables that fit the terms.
  std::vector<double> fitting(const GoalTerms& terms) const;
  /// Returns the quantity to be minimised. gradient: by all variables, or empty. The
  /// terms' derivatives are by the problem's variables, which come first.
  double objective(const GoalTerms& terms, std::span<const double> extra,
                   std::span<double> gradient, Aim aim = Aim::goals) const;
  /// Computes the constraints, each to be at most 0: [constraints]; gradients:
  /// [constraints][variables], or empty.
  void constrain(const GoalTerms& terms, std::span<const double> extra,
                 std::span<double> values, std::span<double> gradients) const;

 private:
  struct Bound {
    std::size_t goal;
    double sign;  ///< of the value in what must not be above 0
    double weight;
    bool by_term;
  };

  double weight_of_bound(const Goal& goal) const;

  const GoalSet& goals_;
  std::vector<std::size_t> smooth_, worst_;  ///< goals to drive
  std::vector<Bound> bounds_;
  std::vector<std::size_t> frequencies_;  ///< [goals]
};

}  // namespace thinwire
