#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/error.h"
#include "mom/optimize/program.h"
#include "mom/optimize/variable.h"
#include "mom/problem/options.h"
#include "mom/problem/result_store.h"
#include "mom/schedule/solve_many.h"

namespace thinwire {

/// The problem with these values for the variables. derivatives: with
/// Problem::parameters, one for each variable, in their order. Several threads may call
/// it at once.
using ProblemAt =
    std::function<Problem(std::span<const double> values, bool derivatives)>;

/// True for errors of the machine, which say nothing of a variant: it lacks memory, or a
/// GPU fails.
inline bool is_of_machine(ErrorKind kind) {
  return kind == ErrorKind::memory || kind == ErrorKind::device;
}

/// Solves variants of a problem for the goals of an optimisation. Several threads may do
/// so at once.
class Evaluator {
 public:
  struct Result {
    std::optional<GoalTerms> terms;       ///< none where the variant cannot be solved
    std::string why;                      ///< it cannot
    ErrorKind kind = ErrorKind::numeric;  ///< of the error that this is
    bool has_no_derivatives = false;      ///< neither it nor any other variant has any
  };

  /// options: of each solve. All arguments must outlive this.
  Evaluator(const GoalSet& goals, std::span<const Variable> variables,
            const ProblemAt& problem_at, const Options& options);

  /// How solve_all() solves: options of all of them together. The evaluator keeps a copy.
  void solve_many_by(ManyChoice choice, const Options& options);

  /// Takes results from the store where it has them, and keeps all others there. The
  /// store must outlive this; null: none.
  void keep_in(ResultStore* store) { store_ = store; }

  const GoalSet& goals() const { return goals_; }
  std::size_t variables() const { return variables_.size(); }
  /// The variables' values at a point of the unit cube, whose corners are their bounds.
  std::vector<double> values_at(std::span<const double> unit) const;
  std::vector<double> unit_at(std::span<const double> values) const;

  /// Throws Error{interrupted}; what else is wrong with a variant is in its result.
  Result solve(std::span<const double> unit) const;
  /// Solves each point as if it were alone, whatever the number of threads; one by one,
  /// with the options of a single solve, unless solve_many_by() was called.
  std::vector<Result> solve_all(std::span<const std::vector<double>> points) const;
  /// Derivatives by the unit cube's coordinates included, from derivatives of the
  /// impedances. No terms where there are none at this point; has_derivatives() says
  /// whether at any.
  Result solve_with_derivatives(std::span<const double> unit) const;
  bool has_derivatives() const { return has_derivatives_; }

 private:
  Result solve(std::span<const double> unit, bool derivatives) const;
  Result solve_anew(std::span<const double> unit, bool derivatives) const;
  std::optional<Result> find(std::span<const double> unit, bool derivatives) const;
  void keep(std::span<const double> unit, bool derivatives, const Result& result) const;
  Result result_of(const Solution& solution) const;

  const GoalSet& goals_;
  std::span<const Variable> variables_;
  const ProblemAt& problem_at_;
  const Options& options_;
  ManyChoice many_choice_ = ManyChoice::one_by_one;
  Options of_many_;
  ResultStore* store_ = nullptr;
  mutable std::atomic<bool> has_derivatives_;
};

}  // namespace thinwire
