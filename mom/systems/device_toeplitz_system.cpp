#include "mom/systems/device_toeplitz_system.h"

#include <algorithm>

#include "mom/systems/operator_system.h"

namespace thinwire {

void DeviceToeplitzSystem::fill(const FillParameters& parameters, const SolverPlan&,
                                const Monitor& monitor) {
  operator_.reset();
  take(parameters, monitor);
  operator_ = std::make_unique<DeviceToeplitzOperator>(
      LatticeBasis(input_.discretization, *input_.discretization.lattice()),
      ToeplitzInput::of(exact_), loads_, monitor);
}

void DeviceToeplitzSystem::make_preconditioner(const Monitor&) {
  if (method_.preconditioner != PreconditionerChoice::none)
    preconditioner_ = std::make_unique<DeviceToeplitzPreconditioner>(
        *operator_, method_.preconditioner == PreconditionerChoice::two_level);
}

std::vector<SolveResult> DeviceToeplitzSystem::iterate(std::span<const Complex> v,
                                                       std::span<Complex> current,
                                                       const SolverControl& control) {
  return solve_rhs(method_.solver, *operator_, preconditioner_.get(), v, current, control,
                   placement_of(input_.options.placement));
}

std::optional<OperatorError> DeviceToeplitzSystem::operator_error(
    std::span<const Complex> v, std::span<const Complex> current) const {
  if (ToeplitzInput::of(exact_).over_real_ground())
    return MatrixFreeSystem::operator_error(v, current);
  const DeviceStream& stream = operator_->stream();
  DeviceBuffer<Complex> x(operator_->padded(), "check of the operator"),
      y(operator_->padded(), "check of the operator");
  x.clear(stream);
  x.upload(current, stream);
  operator_->multiply(x.data(), y.data(), 1, stream);
  const RowSample sample = sampled_rows(current);
  const std::vector<std::uint32_t>& rows = sample.rows;
  std::vector<Complex> product(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r)
    copy_bytes(&product[r], y.data() + rows[r], sizeof(Complex), stream);
  stream.synchronize();
  return thinwire::operator_error(operator_->exact_rows(exact_, rows, current, x.data()),
                                  loads_, sample, product, v, current);
}

}  // namespace thinwire
