#include "mom/system/device_fft_system.h"

#include <algorithm>

#include "mom/system/operator_system.h"

namespace thinwire {

void DeviceFftSystem::fill(const Environment& environment, const SolverPlan& plan,
                           const Monitor& monitor) {
  preconditioner_.reset();
  operator_.reset();
  host_.reset();
  exact_ = exact_entries(input_, environment);
  loads_ = environment.loads.updates();
  host_ = make_fft_operator(input_, environment, plan.boxes, monitor,
                            FftOperator::NearField::places);
  operator_ = std::make_unique<DeviceFftOperator>(*host_);
}

void DeviceFftSystem::prepare(Method method) {
  method_ = method;
  preconditioner_ = host_->make_preconditioner(method.preconditioner);
}

std::vector<SolveResult> DeviceFftSystem::solve(std::span<const Complex> v,
                                                std::span<Complex> current,
                                                const SolverControl& control) {
  std::fill(current.begin(), current.end(), 0.0);
  return solve_sides(recurrence_of(method_.solver), *operator_, preconditioner_.get(), v,
                     current, control_for(method_, control));
}

std::optional<double> DeviceFftSystem::operator_error(
    std::span<const Complex> v, std::span<const Complex> current) const {
  return operator_error_of(*operator_, exact_, loads_, v, current);
}

std::vector<Complex> DeviceFftSystem::dense() const {
  return dense_from_entries(exact_, loads_);
}

}  // namespace thinwire
