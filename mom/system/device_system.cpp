#include "mom/system/device_system.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cg/krylov/device_solver.h"
#include "cg/precondition/device_two_level.h"
#include "cg/precondition/two_level.h"
#include "cg/vector_ops.h"
#include "kernels/base/error.h"
#include "mom/impedance_matrix.h"
#include "mom/stopwatch.h"

namespace thinwire {
namespace {

/// Rounds of refinement after which what is left is rounding.
constexpr int max_refinements = 6;

Storage storage_of(const Options& options) {
  return options.precision == "double" ? Storage::complex_double
                                       : Storage::complex_single;
}

}  // namespace

DeviceSystem::DeviceSystem(LinearSolve::Context context, GreensKernel kernel,
                           WavenumberRange range, bool perfect_ground)
    : context_(std::move(context)),
      storage_(storage_of(context_.options)),
      mixed_(context_.options.precision == "mixed"),
      range_(range),
      fill_(context_.where.elements(), context_.where.basis().functions(), kernel,
            perfect_ground, range.last),
      tiles_(PackedTiles{context_.where.unknowns()}, storage_),
      operator_(tiles_) {
  if (mixed_) {
    x_ = {tiles_.layout().padded(), "vectors of the refinement"};
    y_ = {tiles_.layout().padded(), "vectors of the refinement"};
    x_.clear(stream_);
  }
}

void DeviceSystem::prepare(double k_rad_per_m, bool perfect_ground,
                           const LoadModel& loads, const SolverPlan& plan) {
  preconditioner_.reset();
  direct_.reset();
  plan_ = plan;
  perfect_ground_ = perfect_ground;
  report_ = {};
  report_.name = name_of(plan.solver);
  report_.preconditioner = name_of(plan.preconditioner);
  report_.why = plan.why;
  {
    const Stopwatch watch(context_.timings_s.fill);
    context_.on_progress("fill", 0);
    prepare_near_pairs(plan);
    fill_.set_wavenumber(k_rad_per_m);
    fill_.fill(tiles_, perfect_ground, stream_);
    loads_ = loads.updates();
    add_updates(tiles_, loads_, stream_);
    stream_.synchronize();
  }
  prepare_solver();
}

/// Once, when the matrix has its memory: of what the solver leaves free the table of near
/// pairs may take a quarter. Where others fill the GPU so far that it does not fit, every
/// frequency is integrated instead: 1e-9 apart.
void DeviceSystem::prepare_near_pairs(const SolverPlan& plan) {
  if (near_pairs_ready_) return;
  const std::size_t free = current_device().free_bytes;
  fill_.tabulate_near_pairs(range_, (free - std::min(plan.bytes, free)) / 4);
  near_pairs_ready_ = true;
}

void DeviceSystem::prepare_solver() {
  const Stopwatch watch(context_.timings_s.factor);
  context_.on_progress("factor", 0);
  if (plan_.solver == SolverChoice::direct) {
    direct_ = std::make_unique<DeviceDirectSolver>(operator_);
  } else if (plan_.preconditioner != PreconditionerChoice::none) {
    const auto sets = preconditioner_blocks(context_.where);
    if (plan_.preconditioner == PreconditionerChoice::two_level)
      preconditioner_ = std::make_unique<DeviceTwoLevelPreconditioner>(
          tiles_, sets, TwoLevelPreconditioner::modes_for(sets.size()));
    else
      preconditioner_ = std::make_unique<DeviceBlockPreconditioner>(tiles_, sets);
  }
}

std::vector<Complex> DeviceSystem::solve(std::span<const Complex> v) {
  std::vector<Complex> current(v.size());
  const auto attempt = [&] {
    const Stopwatch watch(context_.timings_s.solve);
    return mixed_ ? refine(v, current)
                  : run(v, current, control(context_.options.tolerance));
  };
  SolveResult result = attempt();
  if (result.status != SolveStatus::converged && !direct_ &&
      context_.options.solver == SolverChoice::automatic && go_on_with_direct(result)) {
    std::fill(current.begin(), current.end(), 0.0);
    result = attempt();
  }
  report_.iterations += result.iterations;
  report_.relative_residual =
      std::max(report_.relative_residual, result.relative_residual);
  report_.converged = report_.converged && result.status == SolveStatus::converged;
  report_.residual_history = std::move(result.residual_history);
  return current;
}

/// Puts the direct solver in place of an iterative one that ended so; false where it does
/// not fit.
bool DeviceSystem::go_on_with_direct(const SolveResult& ended) {
  SolverReport before = report_;
  before.iterations = ended.iterations;
  before.relative_residual = ended.relative_residual;
  const std::size_t free =
      current_device().free_bytes + (preconditioner_ ? preconditioner_->bytes() : 0);
  const bool fits = DeviceLdlt::bytes(tiles_.layout().n) < free;
  context_.warnings.push_back(fallback_warning(before, fits));
  if (!fits) return false;
  report_.why += fmt::format("; {} did not converge, so direct", report_.name);
  report_.name = name_of(SolverChoice::direct);
  report_.preconditioner = name_of(PreconditionerChoice::none);
  plan_.solver = SolverChoice::direct;
  preconditioner_.reset();
  prepare_solver();
  return true;
}

SolverControl DeviceSystem::control(double tolerance) const {
  SolverControl control;
  control.tolerance = tolerance;
  control.max_iterations = context_.options.max_iterations;
  control.stop = context_.options.stop;
  control.on_iteration = [this](int, double residual) {
    context_.on_progress("solve", std::clamp(std::log(std::max(residual, 1e-300)) /
                                                 std::log(context_.options.tolerance),
                                             0.0, 1.0));
  };
  return control;
}

/// Solves with the matrix as stored.
SolveResult DeviceSystem::run(std::span<const Complex> v, std::span<Complex> current,
                              const SolverControl& limits) {
  if (!direct_) return run_iterative(v, current, limits);
  // Its refinement costs a product a step: as far as single storage allows, or double.
  const double reachable = storage_ == Storage::complex_double ? 1e-10 : 1e-7;
  const std::string before = direct_->fallback();
  SolveResult result = direct_->solve(v, current, limits, reachable);
  if (direct_->fallback() != before) {
    context_.warnings.push_back("direct solver: " + direct_->fallback());
    report_.why += (report_.why.empty() ? "" : "; ") + direct_->fallback();
  }
  return result;
}

SolveResult DeviceSystem::run_iterative(std::span<const Complex> v,
                                        std::span<Complex> current,
                                        const SolverControl& limits) {
  const DeviceBlockPreconditioner* m = preconditioner_.get();
  if (context_.options.placement == "product") {
    using Solver = SolveResult (*)(const LinearOperator&, const Preconditioner*,
                                   std::span<const Complex>, std::span<Complex>,
                                   const SolverControl&);
    Solver on_host = solve_cocg;
    if (plan_.solver == SolverChoice::cg) on_host = solve_cg;
    if (plan_.solver == SolverChoice::cocr) on_host = solve_cocr;
    if (plan_.solver == SolverChoice::gmres) on_host = solve_gmres;
    return on_host(operator_, m, v, current, limits);
  }
  const Placement placement =
      context_.options.placement == "graph" ? Placement::graph : Placement::resident;
  switch (plan_.solver) {
    case SolverChoice::cg:
      return solve_cg(operator_, m, v, current, limits, placement);
    case SolverChoice::gmres:
      return solve_gmres(operator_, m, v, current, limits, placement);
    case SolverChoice::cocr:
      throw Error(ErrorKind::usage,
                  "solver cocr: its vectors live on the CPU. Use --placement product, or "
                  "--solver cocg.");
    default:
      return solve_cocg(operator_, m, v, current, limits, placement);
  }
}

/// r = V - Z I, Z in double and never stored.
void DeviceSystem::residual(std::span<const Complex> v, std::span<const Complex> current,
                            std::span<Complex> r) {
  x_.upload(current, stream_);
  fill_.multiply(x_.data(), y_.data(), perfect_ground_, stream_);
  copy_bytes(r.data(), y_.data(), r.size_bytes(), stream_);
  stream_.synchronize();
  for (const MatrixUpdate& load : loads_) {
    r[load.row] += load.value * current[load.column];
    if (load.row != load.column) r[load.column] += load.value * current[load.row];
  }
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = v[i] - r[i];
}

/// Iterative refinement (Wilkinson 1963): corrections from the matrix in single,
/// residuals from the matrix in double.
SolveResult DeviceSystem::refine(std::span<const Complex> v, std::span<Complex> current) {
  const double tolerance = context_.options.tolerance, v_norm = norm2(v);
  SolveResult result;
  result.residual_history = {v_norm > 0 ? 1.0 : 0.0};
  if (v_norm == 0) return result;
  std::vector<Complex> r(v.begin(), v.end()), correction(v.size());
  double now = 1;
  // Steps of the direct solver's refinement are not what the user limits.
  const int most = direct_ ? 0 : context_.options.max_iterations;
  for (int round = 0; round < max_refinements; ++round) {
    std::fill(correction.begin(), correction.end(), 0.0);
    // Half the tolerance, so that rounding of the stored matrix has the other half;
    // never so little that single storage could not give it.
    SolverControl limits = control(std::max(0.5 * tolerance / now, 1e-7));
    if (most > 0) limits.max_iterations = most - result.iterations;
    const SolveResult part = run(r, correction, limits);
    result.iterations += part.iterations;
    for (std::size_t i = 1; i < part.residual_history.size(); ++i)
      result.residual_history.push_back(now * part.residual_history[i]);
    axpy(1.0, correction, current);
    residual(v, current, r);
    const double before = now;
    now = norm2(r) / v_norm;
    result.residual_history.back() = result.relative_residual = now;
    if (now <= tolerance) {
      result.status = SolveStatus::converged;
      return result;
    }
    if (most > 0 && result.iterations >= most) {
      result.status = SolveStatus::max_iterations;
      return result;
    }
    // Written so that NaN ends here too.
    if (!(now < 0.5 * before)) break;
  }
  result.status = SolveStatus::breakdown;
  return result;
}

std::vector<Complex> DeviceSystem::dense() const {
  const std::size_t n = tiles_.layout().n;
  ImpedanceMatrix z(n);
  if (storage_ == Storage::complex_double) {
    copy_bytes(z.tiles().data(), tiles_.data(), tiles_.bytes(), stream_);
    stream_.synchronize();
  } else {
    std::vector<std::complex<float>> single(tiles_.layout().entries());
    copy_bytes(single.data(), tiles_.data(), tiles_.bytes(), stream_);
    stream_.synchronize();
    std::copy(single.begin(), single.end(), z.tiles().begin());
  }
  return z.dense();
}

}  // namespace thinwire
