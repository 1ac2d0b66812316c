#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mom/optimize/optimize.h"

namespace thinwire {

/// One of the searches of an optimisation.
class Search {
 public:
  /// Called after each evaluation; returns false to end the search.
  using OnEvaluation = std::function<bool(const Evaluation&)>;

  /// budget: evaluations at most. evaluator must outlive this.
  Search(const Evaluator& evaluator, std::size_t number, std::size_t budget,
         double resolution, OnEvaluation on_evaluation);

  /// Searches from a point of the unit cube. `cma_es` leaves a quarter of the budget to
  /// `slsqp`, which goes on from the best. Throws Error{interrupted}, and Error{numeric}
  /// where NLopt fails.
  void run(SearchMethod method, const std::vector<double>& start);

  const std::vector<Evaluation>& evaluations() const { return evaluations_; }
  const std::string& first_failure() const { return first_failure_; }
  ErrorKind failure_kind() const { return failure_kind_; }
  /// Whether it took derivatives anywhere, and those from derivatives of the impedances.
  bool saw_derivatives() const { return saw_derivatives_; }
  bool took_exact_derivatives() const { return took_exact_derivatives_; }
  /// Whether any derivative of any goal by this variable was nonzero. Valid once
  /// derivatives were seen.
  bool changes_a_goal(std::size_t variable) const { return changes_a_goal_[variable]; }

 private:
  struct Callbacks;
  /// Thrown where nothing more is to be evaluated.
  struct Ended {};

  /// The terms at a point of the unit cube, and their derivatives where wanted. Null
  /// where it cannot be solved.
  const GoalTerms* terms_at(std::span<const double> unit, bool derivatives);
  const Evaluator::Result& evaluate(std::vector<double> unit, bool derivatives);
  /// Several at once, as many as the limit leaves. Throws Ended behind the last.
  std::vector<Evaluator::Result> evaluate_all(std::vector<std::vector<double>> points);
  void keep(std::span<const double> unit, const Evaluator::Result& result);
  /// The derivatives of result_ that it has not, by differences.
  void add_differences();
  /// Updates changes_a_goal() from result_.
  void note_derivatives();
  void run_locally(SearchMethod method, std::vector<double> from);
  void run_once(SearchMethod method, const std::vector<double>& start);
  /// By generations, until the limit.
  void run_cma_es(const std::vector<double>& start);

  const Evaluator& evaluator_;
  Program program_;
  std::size_t number_, budget_;
  double resolution_;
  OnEvaluation on_evaluation_;
  std::vector<Evaluation> evaluations_;
  std::optional<std::size_t> best_;
  std::string first_failure_;
  ErrorKind failure_kind_ = ErrorKind::numeric;
  std::size_t limit_ = 0;  ///< of the evaluations, for what runs now
  bool ended_ = false;     ///< told_ said so
  Program::Aim aim_ = Program::Aim::goals;
  bool derivatives_wanted_ =
      false;  ///< with every point, where they come with its solution
  Evaluator::Result latest_;
  // The point asked for last: functions and constraints ask in turn.
  std::vector<double> unit_;
  Evaluator::Result result_;
  bool has_derivatives_ = false;
  bool saw_derivatives_ = false, took_exact_derivatives_ = false;
  std::vector<bool> changes_a_goal_;
};

}  // namespace thinwire
