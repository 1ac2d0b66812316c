#include "cg/krylov/device_direct.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/error.h"
#include "kernels/device/device.h"

namespace thinwire {
namespace {

/// Thrown out of a refinement that is too slow to be worth its end.
struct OffCourse {
  int step;
  double residual;
};

const char* name_of(LdltProducts products) {
  return products == LdltProducts::tf32 ? "TF32" : "complex single";
}

}  // namespace

DeviceDirectSolver::DeviceDirectSolver(const TiledOperator& z, LdltProducts products)
    : z_(z), products_(products) {
  ldlt_.emplace(z_.tiles(), products_, z_.others());
}

SolveResult DeviceDirectSolver::solve(std::span<const Complex> v,
                                      std::span<Complex> current,
                                      const SolverControl& control, double aim) {
  while (!lu_) {
    SolveResult result = refine(v, current, control, aim);
    if (result.status == SolveStatus::converged) return result;
    fall_back(result);
  }
  std::copy(v.begin(), v.end(), current.begin());
  lu_->solve(current);
  SolveResult result =
      direct_result(relative_residuals(z_, v, current).front(), control.tolerance);
  result.residual_history = {result.relative_residual};
  return result;
}

SolveResult DeviceDirectSolver::refine(std::span<const Complex> v,
                                       std::span<Complex> current,
                                       const SolverControl& control, double aim) const {
  const std::size_t n = z_.size();
  // Where LU would not fit, every step that may help is taken.
  const bool patient =
      products_ == LdltProducts::single &&
      DeviceLu::bytes(n) > z_.min_of_owners(current_device().free_bytes + ldlt_->bytes());
  SolverControl few = control;
  few.tolerance = std::min(aim, control.tolerance);
  few.max_iterations = max_refinement_steps;
  few.flexible = true;  // LDL^T is in single
  few.on_iteration = [&](int step, double residual, Complex reaction) {
    if (control.on_iteration) control.on_iteration(step, residual, reaction);
    if (!patient && !refinement_is_on_course(step, residual, control.tolerance))
      throw OffCourse{step, residual};
  };
  // From zero: what `current` holds may be anything.
  std::fill(current.begin(), current.end(), 0.0);
  try {
    SolveResult result = thinwire::solve(Recurrence::gmres, z_, &*ldlt_, v, current, few);
    if (result.relative_residual <= control.tolerance)
      result.status = SolveStatus::converged;
    return result;
  } catch (const OffCourse& end) {
    SolveResult result;
    result.status = SolveStatus::breakdown;
    result.iterations = end.step;
    result.relative_residual = end.residual;
    return result;
  }
}

/// Replaces the factors by the next better ones, whose memory is that of the old.
void DeviceDirectSolver::fall_back(const SolveResult& refined) {
  const double residual = refined.relative_residual;
  // A block without an inverse fills the factors with what is not a number: no step.
  const bool singular = refined.iterations == 0 || !std::isfinite(residual);
  std::string reason = fmt::format("LDL^T in {} ", name_of(products_));
  reason +=
      singular
          ? "met a singular block"
          : fmt::format("left a relative residual of {:.1e} after {} steps of refinement",
                        residual, refined.iterations);
  if (!fallback_.empty()) fallback_ += "; ";
  ldlt_.reset();
  // More digits are no help against a block that needs pivots from others.
  if (products_ == LdltProducts::tf32 && !singular) {
    products_ = LdltProducts::single;
    fallback_ += reason + ", so LDL^T in complex single";
    ldlt_.emplace(z_.tiles(), products_, z_.others());
    return;
  }
  require_device_memory(
      DeviceLu::bytes(z_.size()),
      fmt::format("direct solver: {}; LU in complex double", reason).c_str(), z_.size(),
      "Use --solver cocg or gmres, or fewer segments.");
  fallback_ += reason + ", so LU in complex double";
  lu_.emplace(z_.tiles(), z_.others());
}

}  // namespace thinwire
