#include "mom/optimize/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <utility>

#ifdef THINWIRE_WITH_NLOPT
#include <nlopt.h>
#endif

#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// Step of finite differences as a fraction of a variable's range: small enough for the
/// second-order term to vanish, large enough to keep eight digits of the difference.
constexpr double difference_step = 1e-5;
/// A local search starts again from its best point where it has gained so much.
constexpr double worth_another = 1e-3;
/// The part of the budget of `cma_es` that is left to the local search that follows.
constexpr double local_share = 0.25;

}  // namespace

Search::Search(const Evaluator& evaluator, std::size_t number, std::size_t budget,
               double resolution, OnEvaluation on_evaluation)
    : evaluator_(evaluator),
      program_(evaluator.goals()),
      number_(number),
      budget_(budget),
      resolution_(resolution),
      on_evaluation_(std::move(on_evaluation)) {}

const Evaluator::Result& Search::evaluate(std::vector<double> unit, bool derivatives) {
  if (evaluations_.size() >= limit_ || ended_) throw Ended{};
  for (double& u : unit) u = std::clamp(u, 0.0, 1.0);
  latest_ =
      derivatives ? evaluator_.solve_with_derivatives(unit) : evaluator_.solve(unit);
  // No derivatives there, but a value perhaps.
  if (derivatives && !latest_.terms) latest_ = evaluator_.solve(unit);
  keep(unit, latest_);
  return latest_;
}

void Search::keep(std::span<const double> unit, const Evaluator::Result& result) {
  Evaluation evaluation;
  evaluation.start = number_;
  evaluation.variables = evaluator_.values_at(unit);
  if (result.terms) {
    const auto& goals = evaluator_.goals().goals();
    for (std::size_t g = 0; g < goals.size(); ++g)
      evaluation.goals.push_back(value_of(goals[g], (*result.terms)[g]));
    evaluation.score = score_of(evaluator_.goals(), *result.terms);
  } else if (first_failure_.empty()) {
    // Its first line: a deck's errors may be many.
    first_failure_ = result.why.substr(0, result.why.find('\n'));
    failure_kind_ = result.kind;
  }
  evaluations_.push_back(std::move(evaluation));
  if (const Evaluation& now = evaluations_.back(); !now.goals.empty())
    if (!best_ || now.score.is_better_than(evaluations_[*best_].score))
      best_ = evaluations_.size() - 1;
  ended_ = !on_evaluation_(evaluations_.back());
}

void Search::add_differences() {
  const std::vector<double> unit = unit_;
  std::vector<std::pair<std::size_t, std::size_t>> wanted;  // goals, frequencies
  for (std::size_t g = 0; g < result_.terms->size(); ++g)
    for (std::size_t f = 0; f < (*result_.terms)[g].size(); ++f) {
      GoalTerm& term = (*result_.terms)[g][f];
      if (!term.derivatives.empty()) continue;
      term.derivatives.assign(unit.size(), 0.0);
      wanted.emplace_back(g, f);
    }
  for (std::size_t v = 0; v < unit.size(); ++v) {
    // To the other side where the first one cannot be solved.
    const double first =
        unit[v] + difference_step <= 1 ? difference_step : -difference_step;
    for (const double step : {first, -first}) {
      std::vector<double> beside = unit;
      beside[v] += step;
      if (beside[v] < 0 || beside[v] > 1) continue;
      const Evaluator::Result& other = evaluate(beside, false);
      if (!other.terms) continue;
      for (const auto& [g, f] : wanted) {
        GoalTerm& term = (*result_.terms)[g][f];
        term.derivatives[v] = ((*other.terms)[g][f].value - term.value) / step;
      }
      break;
    }
  }
}

void Search::note_derivatives() {
  saw_derivatives_ = true;
  changes_a_goal_.resize(unit_.size());
  for (const auto& goal : *result_.terms)
    for (const GoalTerm& term : goal)
      for (std::size_t v = 0; v < term.derivatives.size(); ++v)
        if (term.derivatives[v] != 0) changes_a_goal_[v] = true;
}

const GoalTerms* Search::terms_at(std::span<const double> unit, bool derivatives) {
  if (!std::equal(unit.begin(), unit.end(), unit_.begin(), unit_.end())) {
    has_derivatives_ = false;
    unit_.clear();
    result_ = evaluate({unit.begin(), unit.end()},
                       derivatives_wanted_ && evaluator_.has_derivatives());
    unit_.assign(unit.begin(), unit.end());
    has_derivatives_ =
        result_.terms && std::ranges::all_of(*result_.terms, [](auto& goal) {
          return std::ranges::none_of(
              goal, [](const GoalTerm& term) { return term.derivatives.empty(); });
        });
    if (has_derivatives_) note_derivatives();
    took_exact_derivatives_ |= has_derivatives_;
  }
  if (!result_.terms) return nullptr;
  if (derivatives && !has_derivatives_) {
    add_differences();
    has_derivatives_ = true;
    note_derivatives();
  }
  return &*result_.terms;
}

void Search::run(SearchMethod method, const std::vector<double>& start) {
  std::vector<double> from = start;
  if (method == SearchMethod::cma_es) {
    limit_ = static_cast<std::size_t>(
        std::ceil((1 - local_share) * static_cast<double>(budget_)));
    run_cma_es(from);
    method = SearchMethod::slsqp;
    if (best_) from = evaluator_.unit_at(evaluations_[*best_].variables);
  }
  limit_ = budget_;
  run_locally(method, from);
  if (!best_ || evaluations_[*best_].score.keeps_bounds() || !program_.drives() ||
      !program_.has_bounds())
    return;
  // Where goals and bounds together lead to no end, bounds alone may, and goals from
  // there.
  aim_ = Program::Aim::bounds;
  run_once(method, from);
  aim_ = Program::Aim::goals;
  const Evaluation& best = evaluations_[*best_];
  if (best.score.keeps_bounds()) run_locally(method, evaluator_.unit_at(best.variables));
}

/// Again from the best so far, as long as that gains.
void Search::run_locally(SearchMethod method, std::vector<double> from) {
  double before = std::numeric_limits<double>::infinity();
  while (!ended_ && evaluations_.size() < limit_) {
    run_once(method, from);
    if (!best_) return;
    const Evaluation& best = evaluations_[*best_];
    if (!(best.score.merit() < before - worth_another)) return;
    before = best.score.merit();
    from = evaluator_.unit_at(best.variables);
  }
}

#ifdef THINWIRE_WITH_NLOPT
namespace {

/// Merit and constraint of a variant that cannot be solved: so bad that no search goes on
/// there, and finite, as the searches require.
constexpr double failed_merit = 1e6, failed_constraint = 1;
/// SLSQP does not come back from numbers whose squares' sums overflow, and with numbers
/// of this size finds nothing.
constexpr double largest_for_nlopt = 1e30;
constexpr double first_step = 0.1, constraint_tolerance = 1e-7, objective_change = 1e-7;

nlopt_algorithm algorithm_of(SearchMethod method) {
  return method == SearchMethod::cobyla ? NLOPT_LN_COBYLA : NLOPT_LD_SLSQP;
}

/// Throws Error{numeric}.
void check_range(std::span<const double> numbers) {
  if (std::ranges::all_of(
          numbers, [](double value) { return std::abs(value) < largest_for_nlopt; }))
    return;
  throw Error(ErrorKind::numeric,
              "optimize: goals or their derivatives are too large for a search. Choose "
              "smaller weights, and bounds and a reference impedance near the values.");
}

struct Destroy {
  void operator()(nlopt_opt opt) const { nlopt_destroy(opt); }
};

}  // namespace

/// Callbacks of NLopt; no exception may pass through it.
struct Search::Callbacks {
  Search& search;
  nlopt_opt opt;
  std::size_t own;  ///< variables of the problem, which come before the extra ones
  std::exception_ptr thrown;

  template <class Body>
  void guarded(Body&& body) {
    try {
      body();
    } catch (const Ended&) {
      nlopt_force_stop(opt);
    } catch (...) {
      thrown = std::current_exception();
      nlopt_force_stop(opt);
    }
  }

  static double objective(unsigned n, const double* x, double* gradient, void* data) {
    auto& self = *static_cast<Callbacks*>(data);
    double value = failed_merit;
    const std::span<double> derivatives(gradient, gradient ? n : 0);
    std::fill(derivatives.begin(), derivatives.end(), 0.0);
    self.guarded([&] {
      if (const GoalTerms* terms =
              self.search.terms_at({x, self.own}, gradient != nullptr))
        value = self.search.program_.objective(*terms, {x + self.own, n - self.own},
                                               derivatives, self.search.aim_);
      check_range({&value, 1});
      check_range(derivatives);
    });
    return value;
  }

  static void constraints(unsigned m, double* values, unsigned n, const double* x,
                          double* gradients, void* data) {
    auto& self = *static_cast<Callbacks*>(data);
    const std::span<double> derivatives(gradients,
                                        gradients ? std::size_t{m} * n : std::size_t{0});
    std::fill(values, values + m, failed_constraint);
    std::fill(derivatives.begin(), derivatives.end(), 0.0);
    self.guarded([&] {
      if (const GoalTerms* terms =
              self.search.terms_at({x, self.own}, gradients != nullptr))
        self.search.program_.constrain(*terms, {x + self.own, n - self.own}, {values, m},
                                       derivatives);
      check_range({values, m});
      check_range(derivatives);
    });
  }
};

void Search::run_once(SearchMethod method, const std::vector<double>& start) {
  const std::size_t own = start.size();
  derivatives_wanted_ = method == SearchMethod::slsqp;
  std::vector<double> x = start;
  try {
    // A search cannot begin where nothing is known.
    const GoalTerms* const terms = terms_at(start, false);
    if (!terms) return;
    for (const double extra : program_.fitting(*terms)) x.push_back(extra);
  } catch (const Ended&) {
    return;
  }
  const std::unique_ptr<nlopt_opt_s, Destroy> opt(
      nlopt_create(algorithm_of(method), static_cast<unsigned>(x.size())));
  Callbacks callbacks{*this, opt.get(), own, nullptr};
  std::vector<double> lower(x.size(), 0.0), upper(x.size(), 1.0),
      step(x.size(), first_step);
  for (std::size_t i = own; i < x.size(); ++i) {
    const bool is_miss = program_.has_bounds() && i + 1 == x.size();
    lower[i] = is_miss ? 0 : -HUGE_VAL;
    upper[i] = HUGE_VAL;
  }
  nlopt_set_lower_bounds(opt.get(), lower.data());
  nlopt_set_upper_bounds(opt.get(), upper.data());
  nlopt_set_initial_step(opt.get(), step.data());
  nlopt_set_xtol_abs1(opt.get(), resolution_);
  // The objective does not measure the antenna where it holds extra variables: these
  // reach their values in a step or two, long before the antenna follows.
  if (program_.extra() == 0) nlopt_set_ftol_abs(opt.get(), objective_change);
  nlopt_set_min_objective(opt.get(), Callbacks::objective, &callbacks);
  if (program_.constraints() > 0) {
    const std::vector<double> tolerance(program_.constraints(), constraint_tolerance);
    nlopt_add_inequality_mconstraint(
        opt.get(), static_cast<unsigned>(program_.constraints()), Callbacks::constraints,
        &callbacks, tolerance.data());
  }
  double reached = 0;
  const nlopt_result result = nlopt_optimize(opt.get(), x.data(), &reached);
  if (callbacks.thrown) std::rethrow_exception(callbacks.thrown);
  if (result == NLOPT_INVALID_ARGS || result == NLOPT_OUT_OF_MEMORY) {
    const char* const why = nlopt_get_errmsg(opt.get());
    throw Error(ErrorKind::numeric,
                fmt::format("optimize: NLopt's {} ended with an error ({}). Choose "
                            "another --method.",
                            nlopt_algorithm_name(algorithm_of(method)),
                            why ? why : nlopt_result_to_string(result)));
  }
}
#else
void Search::run_once(SearchMethod, const std::vector<double>&) {}
#endif

}  // namespace thinwire
