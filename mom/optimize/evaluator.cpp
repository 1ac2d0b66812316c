#include "mom/optimize/evaluator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/error.h"
#include "mom/schedule/byte_archive.h"
#include "mom/schedule/solve.h"

namespace thinwire {
namespace {

/// A result as a store keeps it.
struct StoredResult {
  bool is_solved = false, has_no_derivatives = false;
  GoalTerms terms;
  std::string why;
};

/// A point's own key: the bytes of its coordinates.
std::string key_of(std::span<const double> unit, bool derivatives) {
  return std::string(reinterpret_cast<const char*>(unit.data()), unit.size_bytes()) +
         (derivatives ? "derivatives" : "");
}

}  // namespace

static void members(GoalTerm& of, const auto& use) {
  auto& [value, derivatives] = of;
  use(value, derivatives);
}
static void members(StoredResult& of, const auto& use) {
  auto& [is_solved, has_no_derivatives, terms, why] = of;
  use(is_solved, has_no_derivatives, terms, why);
}

Evaluator::Evaluator(const GoalSet& goals, std::span<const Variable> variables,
                     const ProblemAt& problem_at, const Options& options)
    : goals_(goals),
      variables_(variables),
      problem_at_(problem_at),
      options_(options),
      of_many_(options),
      has_derivatives_(goals.have_derivatives()) {}

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

Evaluator::Result Evaluator::solve_with_derivatives(std::span<const double> unit) const {
  return solve(unit, true);
}

void Evaluator::solve_many_by(ManyChoice choice, const Options& options) {
  many_choice_ = choice;
  of_many_ = options;
}

std::vector<Evaluator::Result> Evaluator::solve_all(
    std::span<const std::vector<double>> points) const {
  std::vector<Result> results(points.size());
  std::vector<std::size_t> unknown;
  for (std::size_t p = 0; p < points.size(); ++p)
    if (std::optional<Result> found = find(points[p], false))
      results[p] = std::move(*found);
    else
      unknown.push_back(p);
  if (unknown.empty()) return results;
  ManyProblems many;
  many.tasks = own_tasks(std::move(unknown), of_many_.monitor);
  many.problem_at = [&](std::size_t p) {
    return goals_.asked(problem_at_(values_at(points[p]), false));
  };
  many.done = [&](std::size_t p, const Problem&, Solution&& solution) {
    results[p] = result_of(solution);
    keep(points[p], false, results[p]);
  };
  many.failed = [&](std::size_t p, const Error& error) {
    results[p] = {std::nullopt, error.what(), error.kind()};
    keep(points[p], false, results[p]);
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
      for (std::size_t v = 0; v < term.derivatives.size(); ++v)
        term.derivatives[v] *= variables_[v].upper - variables_[v].lower;
      if (!std::ranges::all_of(term.derivatives,
                               [](double s) { return std::isfinite(s); }))
        term.derivatives.clear();
    }
  return result;
}

std::optional<Evaluator::Result> Evaluator::find(std::span<const double> unit,
                                                 bool derivatives) const {
  if (!store_) return std::nullopt;
  const std::optional<std::string> bytes = store_->find(key_of(unit, derivatives));
  if (!bytes) return std::nullopt;
  auto kept = from_bytes<StoredResult>(*bytes);
  Result result;
  result.why = std::move(kept.why);
  result.has_no_derivatives = kept.has_no_derivatives;
  if (kept.is_solved) result.terms = std::move(kept.terms);
  return result;
}

void Evaluator::keep(std::span<const double> unit, bool derivatives,
                     const Result& result) const {
  // A resumed search may have the memory or the GPU.
  if (!store_ || is_of_machine(result.kind)) return;
  store_->keep(key_of(unit, derivatives),
               to_bytes(StoredResult{result.terms.has_value(), result.has_no_derivatives,
                                     result.terms.value_or(GoalTerms()), result.why}));
}

Evaluator::Result Evaluator::solve(std::span<const double> unit, bool derivatives) const {
  std::optional<Result> result = find(unit, derivatives);
  if (!result) {
    result = solve_anew(unit, derivatives);
    keep(unit, derivatives, *result);
  }
  if (result->has_no_derivatives) has_derivatives_ = false;
  return std::move(*result);
}

Evaluator::Result Evaluator::solve_anew(std::span<const double> unit,
                                        bool derivatives) const {
  try {
    return result_of(
        thinwire::solve(goals_.asked(problem_at_(values_at(unit), derivatives)), options_,
                        GainDerivativesOf::gain));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) throw;
    // A quantity that cannot be differentiated anywhere is refused as a usage error.
    return {std::nullopt, error.what(), error.kind(),
            derivatives && error.kind() == ErrorKind::usage};
  }
}

}  // namespace thinwire
