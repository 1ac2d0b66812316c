#include "cg/device_direct.h"

#include <cmath>
#include <utility>

#include "cg/vector_ops.h"
#include "kernels/error.h"

namespace thinwire {
namespace {

/// Steps of refinement after which LU is the better bet.
constexpr int max_refinements = 60;

double relative_residual(const LinearOperator& z, std::span<const Complex> v,
                         std::span<const Complex> current) {
  std::vector<Complex> r(v.size());
  z.apply(current, r);
  xpay(v, -1.0, r);
  const double v_norm = norm2(v);
  return v_norm > 0 ? norm2(r) / v_norm : norm2(r);
}

}  // namespace

DeviceDirectSolver::DeviceDirectSolver(const DeviceOperator& z)
    : z_(z), ldlt_(std::make_unique<DeviceLdlt>(z.tiles())) {}

SolveResult DeviceDirectSolver::solve(std::span<const Complex> v,
                                      std::span<Complex> current,
                                      const SolverControl& control) {
  if (!lu_) {
    SolverControl few = control;
    few.max_iterations = max_refinements;
    // From zero: what `current` holds may be anything.
    std::fill(current.begin(), current.end(), 0.0);
    SolveResult result = solve_gmres(z_, ldlt_.get(), v, current, few);
    if (result.status == SolveStatus::converged) return result;
    ldlt_.reset();  // its memory is needed
    lu_ = std::make_unique<DeviceLu>(z_.tiles());
  }
  std::copy(v.begin(), v.end(), current.begin());
  lu_->solve(current);
  SolveResult result;
  result.relative_residual = relative_residual(z_, v, current);
  result.residual_history = {result.relative_residual};
  // Written so that NaN is a breakdown.
  result.status = result.relative_residual <= control.tolerance ? SolveStatus::converged
                                                                : SolveStatus::breakdown;
  return result;
}

}  // namespace thinwire
