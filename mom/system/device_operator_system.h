#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cg/krylov/device_solver.h"
#include "kernels/fill/fill_input.h"
#include "mom/operators/device_toeplitz.h"
#include "mom/system/system.h"

namespace thinwire {

Placement placement_of(PlacementChoice choice);

/// OperatorSystem on the current GPU. The rows of Z that the solution is held against are
/// computed on the CPU.
class DeviceOperatorSystem final : public System {
 public:
  explicit DeviceOperatorSystem(const SystemInput& input) : input_(input) {}

  void fill(const Environment& environment, const SolverPlan& plan,
            const Monitor& monitor) override;
  void prepare(Method method) override;
  bool direct_fits() const override { return false; }
  std::vector<SolveResult> solve(std::span<const Complex> v, std::span<Complex> current,
                                 const SolverControl& control) override;
  std::optional<double> operator_error(std::span<const Complex> v,
                                       std::span<const Complex> current) const override;
  std::vector<Complex> dense() const override;

 private:
  SystemInput input_;
  Method method_;
  FillInput exact_;
  std::vector<MatrixUpdate> loads_;
  std::unique_ptr<DeviceToeplitzOperator> operator_;
  std::unique_ptr<DeviceToeplitzPreconditioner> preconditioner_;
};

}  // namespace thinwire
