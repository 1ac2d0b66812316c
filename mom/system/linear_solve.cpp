#include "mom/system/linear_solve.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cg/precondition/two_level.h"
#include "kernels/base/host_memory.h"
#include "mom/stopwatch.h"

namespace thinwire {
namespace {

/// Below this reciprocal condition number fewer than about four digits are left.
constexpr double singular_below = 1e-12;

double relative_residual(const LinearOperator& z, std::span<const Complex> v,
                         std::span<const Complex> current) {
  std::vector<Complex> r(z.size());
  z.apply(current, r);
  double above = 0, below = 0;
  for (std::size_t m = 0; m < r.size(); ++m) {
    above += std::norm(v[m] - r[m]);
    below += std::norm(v[m]);
  }
  return below > 0 ? std::sqrt(above / below) : std::sqrt(above);
}

}  // namespace

std::string fallback_warning(const SolverReport& report, bool fits) {
  return fmt::format(
      "{} stopped after {} iterations at a relative residual of {:.1e}; {}", report.name,
      report.iterations, report.relative_residual,
      fits ? "going on with the direct solver"
           : "for the direct solver there is too little memory");
}

LinearSolve::LinearSolve(const ImpedanceMatrix& z, const SolverPlan& plan,
                         Context context)
    : z_(z), plan_(plan), context_(std::move(context)) {
  report_.name = name_of(plan_.solver);
  report_.preconditioner = name_of(plan_.preconditioner);
  report_.why = plan_.why;
  if (plan_.solver == SolverChoice::direct) {
    factor();
  } else if (plan_.preconditioner != PreconditionerChoice::none) {
    prepare_preconditioner();
  }
}

void LinearSolve::prepare_preconditioner() {
  const Stopwatch watch(context_.timings_s.factor);
  context_.on_progress("factor", 0);
  const auto read = [this](std::span<const std::uint32_t> rows,
                           std::span<const std::uint32_t> columns,
                           std::span<Complex> entries) {
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t i = 0; i < rows.size(); ++i)
        entries[i + j * rows.size()] = z_.at(rows[i], columns[j]);
  };
  auto blocks = preconditioner_blocks(context_.where);
  if (plan_.preconditioner == PreconditionerChoice::two_level) {
    const int modes = TwoLevelPreconditioner::modes_for(blocks.size());
    preconditioner_ =
        std::make_unique<TwoLevelPreconditioner>(std::move(blocks), read, modes);
  } else {
    preconditioner_ = std::make_unique<BlockPreconditioner>(
        std::move(blocks), [&read](std::span<const std::uint32_t> set,
                                   std::span<Complex> block) { read(set, set, block); });
  }
}

void LinearSolve::factor() {
  const Stopwatch watch(context_.timings_s.factor);
  context_.on_progress("factor", 0);
  direct_ = std::make_unique<DirectSolver>(z_.size(), z_.dense());
  if (context_.singular_explained) return;
  if (const double rcond = direct_->reciprocal_condition(); rcond < singular_below)
    context_.warnings.push_back(fmt::format(
        "the impedance matrix is nearly singular (reciprocal condition {:.1e}): "
        "results may have few digits. Check for overlapping wires and for a frequency "
        "far below the structure's size.",
        rcond));
}

std::vector<Complex> LinearSolve::solve(std::span<const Complex> v) {
  std::vector<Complex> current = direct_ ? solve_direct(v) : iterate(v);
  if (!report_.converged && !direct_ &&
      context_.options.solver == SolverChoice::automatic) {
    const bool fits = sizeof(Complex) * v.size() * v.size() < host_memory().free;
    context_.warnings.push_back(fallback_warning(report_, fits));
    if (!fits) return current;
    report_.why += fmt::format("; {} did not converge, so direct", report_.name);
    report_.name = name_of(SolverChoice::direct);
    report_.preconditioner = name_of(PreconditionerChoice::none);
    report_.relative_residual = 0;
    report_.converged = true;
    factor();
    current = solve_direct(v);
  }
  return current;
}

std::vector<Complex> LinearSolve::solve_direct(std::span<const Complex> v) {
  const Stopwatch watch(context_.timings_s.solve);
  context_.on_progress("solve", 0);
  std::vector<Complex> current(v.begin(), v.end());
  direct_->solve(current);
  report_.relative_residual =
      std::max(report_.relative_residual, relative_residual(z_, v, current));
  report_.converged =
      report_.converged && report_.relative_residual <= context_.options.tolerance;
  return current;
}

std::vector<Complex> LinearSolve::iterate(std::span<const Complex> v) {
  const Stopwatch watch(context_.timings_s.solve);
  SolverControl control;
  control.tolerance = context_.options.tolerance;
  control.max_iterations = context_.options.max_iterations;
  control.stop = context_.options.stop;
  control.on_iteration = [&](int, double residual) {
    context_.on_progress("solve", std::clamp(std::log(std::max(residual, 1e-300)) /
                                                 std::log(control.tolerance),
                                             0.0, 1.0));
  };
  const auto run = plan_.solver == SolverChoice::cg      ? solve_cg
                   : plan_.solver == SolverChoice::cocr  ? solve_cocr
                   : plan_.solver == SolverChoice::gmres ? solve_gmres
                                                         : solve_cocg;
  std::vector<Complex> current(v.size());
  SolveResult result = run(z_, preconditioner_.get(), v, current, control);
  report_.iterations += result.iterations;
  report_.relative_residual =
      std::max(report_.relative_residual, result.relative_residual);
  report_.converged = report_.converged && result.status == SolveStatus::converged;
  report_.residual_history = std::move(result.residual_history);
  return current;
}

}  // namespace thinwire
