#include "mom/optimize/program.h"

#include <algorithm>
#include <cmath>

namespace thinwire {
namespace {

/// A bound missed by so much counts as kept: 0.00005 ohm of 50, 0.00001 dB.
constexpr double kept_within = 1e-6;
/// An equality is kept within this: 0.005 ohm of 50, 0.001 dB.
constexpr double equal_within = 1e-4;
/// Searches aim at bounds tighter by this, to end on their right side.
constexpr double margin = 1e-5;
/// Weight of a violated bound beside the objective: larger than any gain of the objective
/// from violating it.
constexpr double miss_weight = 100;
/// Largest ratio of the weights of bounds in the program.
constexpr double extreme_weight = 1e3;

/// A quantity on the scale on which misses are compared, and its derivative there.
struct Scaled {
  double value, derivative;
};
Scaled scaled(Goal::Quantity quantity, double value, double reference_ohm) {
  switch (quantity) {
    case Goal::Quantity::vswr:
      return {(value - 1) / (value + 1), 2 / ((value + 1) * (value + 1))};
    case Goal::Quantity::resistance:
    case Goal::Quantity::reactance:
    case Goal::Quantity::magnitude:
      return {value / reference_ohm, 1 / reference_ohm};
    case Goal::Quantity::gain:
    case Goal::Quantity::front_to_back:
      return {value / 10, 0.1};
    case Goal::Quantity::efficiency:
      break;
  }
  return {value, 1};
}

/// Whether the goal is as good as its worst frequency, so that each has a constraint of
/// its own.
bool is_worst(const Goal& goal) {
  switch (goal.aim) {
    case Goal::Aim::below:
    case Goal::Aim::smallest:
      return goal.over == Goal::Over::largest;
    case Goal::Aim::above:
    case Goal::Aim::largest:
      return goal.over == Goal::Over::smallest;
    case Goal::Aim::equal:
      break;
  }
  return goal.over == Goal::Over::each;
}

/// +1 of what should be small.
double sign_of(const Goal& goal) {
  return goal.aim == Goal::Aim::below || goal.aim == Goal::Aim::smallest ? 1 : -1;
}

/// The derivatives of value_of(goal, terms), each times `factor`, added to the gradient.
void add_derivatives(const Goal& goal, std::span<const GoalTerm> terms, double factor,
                     std::span<double> gradient) {
  if (goal.over != Goal::Over::mean) {
    const double value = value_of(goal, terms);
    terms = terms.subspan(
        static_cast<std::size_t>(
            std::find_if(terms.begin(), terms.end(),
                         [&](const GoalTerm& term) { return term.value == value; }) -
            terms.begin()),
        1);
  }
  for (const GoalTerm& term : terms)
    for (std::size_t v = 0; v < term.derivatives.size(); ++v)
      gradient[v] += factor * term.derivatives[v] / static_cast<double>(terms.size());
}

}  // namespace

bool Score::keeps_bounds() const {
  return unweighted_violation <= kept_within;
}

double Score::merit() const {
  return objective + miss_weight * miss;
}

bool Score::is_better_than(const Score& other) const {
  const double missed = keeps_bounds() ? 0 : miss,
               others = other.keeps_bounds() ? 0 : other.miss;
  return missed != others ? missed < others : objective < other.objective;
}

double miss_of(const Goal& goal, double value, double reference_ohm) {
  if (!goal.is_bound()) return 0;
  const double over = scaled(goal.quantity, value, reference_ohm).value -
                      scaled(goal.quantity, goal.bound, reference_ohm).value;
  const double miss =
      goal.aim == Goal::Aim::equal ? std::abs(over) - equal_within : sign_of(goal) * over;
  return std::max(miss, 0.0);
}

Score score_of(const GoalSet& goals, const GoalTerms& terms) {
  Score score;
  for (std::size_t g = 0; g < terms.size(); ++g) {
    const Goal& goal = goals.goals()[g];
    const double value = value_of(goal, terms[g]);
    if (goal.is_bound()) {
      const double miss = miss_of(goal, value, goals.reference_ohm());
      score.miss = std::max(score.miss, goal.weight * miss);
      score.unweighted_violation = std::max(score.unweighted_violation, miss);
    } else {
      score.objective += sign_of(goal) * goal.weight * value;
    }
  }
  return score;
}

/// Weights say which miss is worse than another: what they come to together is of no
/// matter, and extremes would drown in what the searches tolerate, or drown the rest.
double Program::weight_of_bound(const Goal& goal) const {
  double largest = 0;
  for (const Goal& other : goals_.goals())
    if (other.is_bound()) largest = std::max(largest, other.weight);
  const double together = std::clamp(largest, 1.0, extreme_weight) / largest;
  return std::max(goal.weight * together, 1 / extreme_weight);
}

Program::Program(const GoalSet& goals) : goals_(goals) {
  for (std::size_t g = 0; g < goals.goals().size(); ++g) {
    const Goal& goal = goals.goals()[g];
    frequencies_.push_back(goal.frequency_hz.size());
    if (!goal.is_bound())
      (is_worst(goal) && frequencies_[g] > 1 ? worst_ : smooth_).push_back(g);
    else if (goal.aim != Goal::Aim::equal)
      bounds_.push_back({g, sign_of(goal), weight_of_bound(goal), is_worst(goal)});
    else
      for (const double sign : {1.0, -1.0})
        bounds_.push_back({g, sign, weight_of_bound(goal), is_worst(goal)});
  }
}

std::size_t Program::constraints() const {
  std::size_t count = 0;
  for (const std::size_t g : worst_) count += frequencies_[g];
  for (const Bound& bound : bounds_)
    count += bound.by_term ? frequencies_[bound.goal] : 1;
  return count;
}

std::vector<double> Program::fitting(const GoalTerms& terms) const {
  std::vector<double> extra;
  for (const std::size_t g : worst_)
    extra.push_back(sign_of(goals_.goals()[g]) * value_of(goals_.goals()[g], terms[g]));
  if (!has_bounds()) return extra;
  // With s = 0 the constraints say how large it must be.
  extra.push_back(0);
  std::vector<double> missed(constraints());
  constrain(terms, extra, missed, {});
  extra.back() = std::max(0.0, *std::max_element(missed.begin(), missed.end()));
  return extra;
}

double Program::objective(const GoalTerms& terms, std::span<const double> extra,
                          std::span<double> gradient, Aim aim) const {
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const std::size_t own = gradient.empty() ? 0 : gradient.size() - extra.size();
  double sum = 0;
  const auto add = [&](std::size_t at, double factor) {
    sum += factor * extra[at];
    if (!gradient.empty()) gradient[own + at] = factor;
  };
  if (has_bounds()) add(worst_.size(), miss_weight);
  if (aim == Aim::bounds) return sum;
  for (const std::size_t g : smooth_) {
    const Goal& goal = goals_.goals()[g];
    const double factor = sign_of(goal) * goal.weight;
    sum += factor * value_of(goal, terms[g]);
    if (!gradient.empty()) add_derivatives(goal, terms[g], factor, gradient);
  }
  for (std::size_t i = 0; i < worst_.size(); ++i)
    add(i, goals_.goals()[worst_[i]].weight);
  return sum;
}

void Program::constrain(const GoalTerms& terms, std::span<const double> extra,
                        std::span<double> values, std::span<double> gradients) const {
  std::fill(gradients.begin(), gradients.end(), 0.0);
  const std::size_t variables = gradients.size() / values.size();
  std::size_t row = 0;
  // factor (value - bound) + more - extra[at] <= 0, of one term or all.
  const auto add = [&](const Goal& goal, std::span<const GoalTerm> of, double factor,
                       double rest, std::size_t at) {
    values[row] = rest - extra[at];
    if (!gradients.empty()) {
      const std::span<double> gradient = gradients.subspan(row * variables, variables);
      add_derivatives(goal, of, factor, gradient);
      gradient[variables - extra.size() + at] = -1;
    }
    ++row;
  };
  for (std::size_t i = 0; i < worst_.size(); ++i) {
    const Goal& goal = goals_.goals()[worst_[i]];
    const std::span<const GoalTerm> all = terms[worst_[i]];
    for (std::size_t f = 0; f < all.size(); ++f)
      add(goal, all.subspan(f, 1), sign_of(goal), sign_of(goal) * all[f].value, i);
  }
  for (const Bound& bound : bounds_) {
    const Goal& goal = goals_.goals()[bound.goal];
    const double limit = scaled(goal.quantity, goal.bound, goals_.reference_ohm()).value,
                 factor = bound.sign * bound.weight;
    const auto add_bound = [&](std::span<const GoalTerm> of) {
      const Scaled at = scaled(goal.quantity, value_of(goal, of), goals_.reference_ohm());
      const double tighter = goal.aim == Goal::Aim::equal ? 0 : bound.weight * margin;
      add(goal, of, factor * at.derivative, factor * (at.value - limit) + tighter,
          worst_.size());
    };
    const std::span<const GoalTerm> all = terms[bound.goal];
    if (!bound.by_term) add_bound(all);
    for (std::size_t f = 0; bound.by_term && f < all.size(); ++f)
      add_bound(all.subspan(f, 1));
  }
}

}  // namespace thinwire
