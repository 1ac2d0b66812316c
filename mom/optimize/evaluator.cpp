#include "mom/optimize/evaluator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/base/error.h"
#include "mom/solve.h"

namespace thinwire {

Evaluator::Evaluator(const GoalSet& goals, std::span<const Variable> variables,
                     const ProblemAt& problem_at, const Options& options)
    : goals_(goals),
      variables_(variables),
      problem_at_(problem_at),
      options_(options),
      of_many_(options),
      has_slopes_(goals.have_slopes()) {}

std::vector<double> Evaluator::values_at(std::span<const double> unit) const {
  std::vector<double> values(unit.size());
  for (std::size_t v = 0; v < unit.size(); ++v)
    values[v] = std::lerp(variables_[v].lower, variables_[v].upper, unit[v]);
  return values;
}

std::vector<double> Evaluator::unit_at(std::span<const double> values) const {
  std::vector<double> unit(values.size());
  for (std::size_t v = 0; v < values.size(); ++v)
    unit[v] =
        (values[v] - variables_[v].lower) / (variables_[v].upper - variables_[v].lower);
  return unit;
}

Evaluator::Result Evaluator::solve(std::span<const double> unit) const {
  return solve(unit, false);
}

Evaluator::Result Evaluator::solve_with_slopes(std::span<const double> unit) const {
  return solve(unit, true);
}

void Evaluator::solve_many_by(ManyChoice choice, const Options& options) {
  many_choice_ = choice;
  of_many_ = options;
}

std::vector<Evaluator::Result> Evaluator::solve_all(
    std::span<const std::vector<double>> points) const {
  std::vector<Result> results(points.size());
  ManyProblems many;
  many.numbers.resize(points.size());
  std::iota(many.numbers.begin(), many.numbers.end(), std::size_t{0});
  many.problem_at = [&](std::size_t p) {
    return goals_.asked(problem_at_(values_at(points[p]), false));
  };
  many.done = [&](std::size_t p, const Problem&, Solution&& solution) {
    results[p] = result_of(solution);
  };
  many.failed = [&](std::size_t p, const Error& error) {
    results[p] = {std::nullopt, error.what()};
  };
  solve_many(many, many_choice_, of_many_);
  return results;
}

Evaluator::Result Evaluator::result_of(const Solution& solution) const {
  Result result{goals_.terms(solution), {}};
  for (auto& terms : *result.terms)
    for (GoalTerm& term : terms) {
      if (!std::isfinite(term.value))
        return {std::nullopt, "a goal's quantity is not finite."};
      for (std::size_t v = 0; v < term.slopes.size(); ++v)
        term.slopes[v] *= variables_[v].upper - variables_[v].lower;
      if (!std::ranges::all_of(term.slopes, [](double s) { return std::isfinite(s); }))
        term.slopes.clear();
    }
  return result;
}

Evaluator::Result Evaluator::solve(std::span<const double> unit, bool slopes) const {
  try {
    return result_of(thinwire::solve(goals_.asked(problem_at_(values_at(unit), slopes)),
                                     options_, GainSlopesOf::gain));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) throw;
    // What cannot be differentiated anywhere is refused as a wrong option.
    if (slopes && error.kind() == ErrorKind::usage) has_slopes_ = false;
    return {std::nullopt, error.what()};
  }
}

}  // namespace thinwire
