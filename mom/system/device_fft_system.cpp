#include "mom/system/device_fft_system.h"

#include <algorithm>

#include "cg/krylov/device_solver.h"
#include "cg/precondition/device_overlap.h"
#include "mom/plan/boxes.h"
#include "mom/plan/equal_sets.h"
#include "mom/system/device_toeplitz_system.h"
#include "mom/system/operator_system.h"

namespace thinwire {

void DeviceFftSystem::fill(const Environment& environment, const SolverPlan& plan,
                           const Monitor& monitor) {
  preconditioner_.reset();
  device_preconditioner_.reset();
  operator_.reset();
  host_.reset();
  take(environment);
  host_ = make_fft_operator(input_, environment, plan.boxes, monitor.part(0, 0.5),
                            FftOperator::NearField::left_out);
  // Single rounds to 1e-7 of the largest sums: enough for the coarsest class, and for
  // residuals that stay above.
  const bool single =
      host_->plan().grid_class.tolerance >= 1e-4 && input_.options.tolerance >= 1e-5;
  operator_ = std::make_unique<DeviceFftOperator>(
      *host_,
      single ? DeviceFft::Numbers::complex_single : DeviceFft::Numbers::complex_double,
      monitor.part(0.5, 1));
}

void DeviceFftSystem::prepare(Method method, const Monitor& monitor) {
  method_ = method;
  preconditioner_.reset();
  device_preconditioner_.reset();
  if (method.preconditioner != PreconditionerChoice::overlap) {
    preconditioner_ = host_->make_preconditioner(method.preconditioner, monitor);
    return;
  }
  device_preconditioner_ = std::make_unique<DeviceOverlapPreconditioner>(
      overlapping_sets(input_.antenna, method.boxes, exact_.medium, loads_, monitor),
      with_loads(block_reader(*operator_->fill(), exact_.medium, host_->places()),
                 loads_),
      monitor);
}

std::vector<SolveResult> DeviceFftSystem::solve(std::span<const Complex> v,
                                                std::span<Complex> current,
                                                const SolverControl& control) {
  std::fill(current.begin(), current.end(), 0.0);
  const Recurrence recurrence = recurrence_of(method_.solver);
  const SolverControl limits = control_for(method_, control);
  if (preconditioner_)
    return solve_sides(recurrence, *operator_, preconditioner_.get(), v, current, limits);
  return solve_sides(recurrence, *operator_, device_preconditioner_.get(), v, current,
                     limits, placement_of(input_.options.placement));
}

}  // namespace thinwire
