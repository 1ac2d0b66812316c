#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cg/device_preconditioner.h"
#include "cg/preconditioner.h"
#include "mom/operators/device_fft.h"
#include "mom/operators/operator.h"
#include "mom/system/system.h"

namespace thinwire {

/// FftOperator with near field and products on the current GPU. With overlapping blocks,
/// whose entries are computed there, the solver's vectors stay there too; with another
/// preconditioner, made and applied on the CPU, only products do.
class DeviceFftSystem final : public System {
 public:
  explicit DeviceFftSystem(const SystemInput& input) : input_(input) {}

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
  std::unique_ptr<FftOperator> host_;
  std::unique_ptr<DeviceFftOperator> operator_;
  std::unique_ptr<Preconditioner> preconditioner_;  ///< on the CPU
  std::unique_ptr<DevicePreconditioner> device_preconditioner_;
};

}  // namespace thinwire
