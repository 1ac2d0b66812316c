#include "mom/systems/prepared_system.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cg/krylov/iteration.h"
#include "kernels/base/constants.h"
#include "kernels/base/counted.h"
#include "kernels/base/stopwatch.h"

namespace thinwire {
namespace {

/// Shares of one frequency's work, for the progress line only.
constexpr double fill_share = 0.4, ready_share = 0.5;

bool all_converged(const std::vector<SolveResult>& results) {
  return std::all_of(results.begin(), results.end(), [](const SolveResult& result) {
    return result.status == SolveStatus::converged;
  });
}

}  // namespace

void PreparedSystem::prepare(const FillParameters& parameters, const SolverPlan& plan,
                             const Monitor& monitor) {
  monitor_ = monitor;
  solving_ = monitor.part(ready_share, 1);
  plan_ = plan;
  frequency_hz_ = parameters.k_rad_per_m * speed_of_light_m_per_s / (2 * pi);
  singular_explained_ = !parameters.loads.too_large().empty();
  report_ = {};
  report_.name = name_of(plan.solver);
  report_.preconditioner = name_of(plan.preconditioner);
  if (plan.preconditioner == PreconditionerChoice::overlap) report_.boxes = plan.boxes;
  report_.boxes_asked = context_.options.boxes.has_value();
  report_.operator_name = name_of(plan.operator_choice);
  report_.why = plan.why;
  {
    const Stopwatch watch(context_.timings_s.fill);
    monitor.report("fill", 0);
    system_->fill(parameters, plan, monitor.part(0, fill_share));
  }
  make_ready();
}

void PreparedSystem::make_ready() {
  const Stopwatch watch(context_.timings_s.factor);
  monitor_.report("factor", fill_share);
  system_->prepare(plan_, monitor_.silent());
  pass_notes_on();
}

/// Passes on what the system has to say once it is prepared and after each solve.
void PreparedSystem::pass_notes_on() {
  report_.coarse_functions = system_->coarse_functions();
  for (System::Note& note : system_->take_notes()) {
    if (!note.why.empty()) report_.why += (report_.why.empty() ? "" : "; ") + note.why;
    if (!(note.nearly_singular && singular_explained_))
      context_.warn(std::move(note.text));
  }
}

SolverControl PreparedSystem::control() const {
  SolverControl control;
  control.tolerance = tolerance_;
  control.max_iterations = context_.options.max_iterations;
  control.monitor = solving_;
  control.on_iteration = [this](int iteration, double residual, Complex reaction) {
    // Decades gained of those on the way to the tolerance.
    const double gained = std::log(std::max(residual, 1e-300)) / std::log(tolerance_);
    std::string detail =
        fmt::format("iteration {}, residual {:.1e}", iteration, residual);
    if (const Complex z = voltage_v_ * voltage_v_ / reaction; z != 0.0)
      detail += fmt::format(", {:.4g}{:+.4g}j ohm", z.real(), z.imag());
    solving_.report("solve", std::clamp(gained, 0.0, 1.0), std::move(detail));
  };
  return control;
}

std::vector<std::vector<Complex>> PreparedSystem::solve(
    const std::vector<std::vector<Complex>>& v) {
  if (v.empty()) return {};
  const std::size_t n = v.front().size();
  // One alone is not copied: of millions of unknowns that takes as long as iterations.
  std::vector<Complex> together, current(n * v.size());
  const Comm* const ranks = context_.options.ranks;
  const bool copied = v.size() > 1 || ranks != nullptr;
  if (copied)
    for (const std::vector<Complex>& rhs : v)
      together.insert(together.end(), rhs.begin(), rhs.end());
  // Ranks whose processors round in different ways solve the same.
  if (ranks != nullptr) ranks->broadcast(together, 0);
  const std::span<const Complex> all_v = copied ? together : v.front();
  const auto attempt = [&] {
    const Stopwatch watch(context_.timings_s.solve);
    solving_.report("solve", 0);
    std::vector<SolveResult> results = system_->solve(all_v, current, control());
    pass_notes_on();
    return results;
  };
  std::vector<SolveResult> results = attempt();
  if (!all_converged(results) && plan_.solver != SolverChoice::direct &&
      plan_.operator_choice == OperatorChoice::dense &&
      context_.options.solver == SolverChoice::automatic && go_on_with_direct(results)) {
    // The steps were taken, whoever finds the solution.
    for (const SolveResult& result : results) report_.iterations += result.iterations;
    results = attempt();
  }
  if (ranks != nullptr) ranks->broadcast(current, 0);
  for (std::size_t s = 0; s < std::min(v.size(), max_rhs_count); ++s)
    check_operator(v[s], std::span(current).subspan(s * n, n));
  add_to_report(std::move(results));
  voltage_v_ = 0;
  std::vector<std::vector<Complex>> solutions;
  if (v.size() == 1) {
    solutions.push_back(std::move(current));
    return solutions;
  }
  for (std::size_t first = 0; first < current.size(); first += n)
    solutions.emplace_back(current.begin() + static_cast<std::ptrdiff_t>(first),
                           current.begin() + static_cast<std::ptrdiff_t>(first + n));
  return solutions;
}

/// Estimates the operator's error in a solution for v; the report has the largest.
void PreparedSystem::check_operator(std::span<const Complex> v,
                                    std::span<const Complex> current) {
  const Stopwatch watch(context_.timings_s.solve);
  const std::optional<OperatorError> error = system_->operator_error(v, current);
  const double before = report_.operator_error.value_or(-1);
  // Comparisons are written so that NaN counts as large, here and below.
  if (!error || std::isnan(before) || error->estimate <= before) return;
  report_.operator_error = error->estimate;
  report_.operator_error_spread = error->spread;
  const double most = context_.options.operator_tolerance;
  if (error->estimate - 2 * error->spread <= most || operator_warned_) return;
  // A sweep says it once; every frequency's result has the number.
  operator_warned_ = true;
  context_.warn(fmt::format(
      "{:g} MHz: the {} operator is expected to cause an error of {:.1e} in the "
      "impedance, more than --operator-tolerance {:g}; --operator dense is exact",
      1e-6 * frequency_hz_, report_.operator_name, error->estimate, most));
}

void PreparedSystem::add_to_report(std::vector<SolveResult>&& results) {
  residuals_.clear();
  for (SolveResult& result : results) {
    residuals_.push_back(result.relative_residual);
    if (result.restarted_after > 0)
      context_.warn(
          fmt::format("{} restarted after every {} iterations because memory holds no "
                      "more vectors; without restarts it would take fewer",
                      report_.name, result.restarted_after));
    report_.iterations += result.iterations;
    report_.relative_residual =
        std::max(report_.relative_residual, result.relative_residual);
    report_.converged = report_.converged && result.status == SolveStatus::converged;
    report_.residual_history = std::move(result.residual_history);
  }
  if (results.size() == 1 && voltage_v_ != 0.0 && !report_.residual_history.empty() &&
      results.front().reaction_history.size() == report_.residual_history.size())
    add_impedances(results.front().reaction_history);
}

/// Warns where the port's impedance has not settled as the residual has.
void PreparedSystem::add_impedances(std::span<const Complex> reactions) {
  constexpr double unsettled = 0.01;
  for (const Complex reaction : reactions)
    report_.impedance_history_ohm.push_back(voltage_v_ * voltage_v_ / reaction);
  const std::vector<double>& residuals = report_.residual_history;
  std::size_t before = residuals.size() - 1;  // where the last decade begins
  while (before > 1 && residuals[before] < 10 * residuals.back()) --before;
  const Complex z = report_.impedance_history_ohm.back();
  const double change = std::abs(z - report_.impedance_history_ohm[before]) / std::abs(z);
  // A residual that falls by far more at once tells nothing of the decade before.
  if (report_.converged && residuals[before] < 1000 * residuals.back() &&
      change > unsettled)
    context_.warn(fmt::format(
        "{:g} MHz: the impedance of the port still changed by {:.2g} % while the "
        "residual fell from {:.1e} to {:.1e}; a smaller --tolerance tells whether it has "
        "settled",
        1e-6 * frequency_hz_, 100 * change, residuals[before], residuals.back()));
}

/// Puts the direct solver in the place of an iterative one that ended so; false where
/// there is no memory for it.
bool PreparedSystem::go_on_with_direct(const std::vector<SolveResult>& ended) {
  int iterations = report_.iterations;
  double residual = report_.relative_residual;
  for (const SolveResult& result : ended) {
    iterations += result.iterations;
    residual = std::max(residual, result.relative_residual);
  }
  const bool fits = system_->direct_fits();
  context_.warn(fmt::format(
      "{} stopped after {} at a relative residual of {:.1e}; {}", report_.name,
      counted(static_cast<std::size_t>(iterations), "iteration"), residual,
      fits ? "going on with the direct solver"
           : "there is too little memory for the direct solver"));
  if (!fits) return false;
  report_.why += fmt::format("; {} did not converge, so direct", report_.name);
  report_.name = name_of(SolverChoice::direct);
  report_.preconditioner = name_of(PreconditionerChoice::none);
  report_.boxes.reset();
  report_.relative_residual = 0;
  report_.converged = true;
  plan_.solver = SolverChoice::direct;
  plan_.preconditioner = PreconditionerChoice::none;
  make_ready();
  return true;
}

void PreparedSystem::start(const Monitor& monitor) {
  monitor_ = monitor;
  solving_ = monitor.part(ready_share, 1);
  tolerance_ = context_.options.tolerance;
  report_.iterations = 0;
  report_.relative_residual = 0;
  report_.converged = true;
  report_.residual_history.clear();
  report_.impedance_history_ohm.clear();
  voltage_v_ = 0;
  report_.operator_error.reset();
  report_.operator_error_spread.reset();
}

}  // namespace thinwire
