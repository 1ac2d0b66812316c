#pragma once

#include <memory>

#include "cg/krylov/device_solver.h"
#include "mom/operators/device_toeplitz.h"
#include "mom/systems/operator_system.h"

namespace thinwire {

Placement placement_of(PlacementChoice choice);

/// ToeplitzOperator on the current GPU.
class DeviceToeplitzSystem final : public MatrixFreeSystem {
 public:
  using MatrixFreeSystem::MatrixFreeSystem;

  void fill(const FillParameters& parameters, const SolverPlan& plan,
            const Monitor& monitor) override;
  /// Rows of Z are computed on the GPU, but for what is near; over a real ground on the
  /// CPU.
  std::optional<OperatorError> operator_error(
      std::span<const Complex> v, std::span<const Complex> current) const override;

 private:
  const LinearOperator& z() const override { return *operator_; }
  Preconditioner* preconditioner() override { return preconditioner_.get(); }
  void make_preconditioner(const Monitor& monitor) override;
  void reset_preconditioner() override { preconditioner_.reset(); }
  std::vector<SolveResult> iterate(std::span<const Complex> v, std::span<Complex> current,
                                   const SolverControl& control) override;

  std::unique_ptr<DeviceToeplitzOperator> operator_;
  std::unique_ptr<DeviceToeplitzPreconditioner> preconditioner_;
};

}  // namespace thinwire
