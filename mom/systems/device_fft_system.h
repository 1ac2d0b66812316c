#pragma once

#include <future>
#include <memory>
#include <utility>

#include "cg/device_preconditioner.h"
#include "cg/precondition/device_overlap.h"
#include "cg/preconditioner.h"
#include "mom/operators/device_fft.h"
#include "mom/operators/operator.h"
#include "mom/preconditioners/schwarz.h"
#include "mom/systems/device_owner.h"
#include "mom/systems/operator_system.h"

namespace thinwire {

/// Data that the first of several GPUs with one FftOperator makes for all of them.
struct CommonFft {
  std::shared_ptr<const FftOperator> host;
  /// Made on the CPU while the GPUs fill; invalid if no preconditioner is made.
  std::shared_future<SchwarzGeometry> geometry;
};

/// FftOperator with near field and products on the current GPU. With overlapping blocks
/// or blocks and their modes, whose entries are computed there, the solver's vectors stay
/// there too; with another preconditioner, made and applied on the CPU, only products do.
class DeviceFftSystem final : public MatrixFreeSystem {
 public:
  /// owner, common: where several GPUs share the products and the blocks, each with a
  /// DeviceFftSystem of its own; the coarse level is on each of them.
  explicit DeviceFftSystem(
      const SystemInput& input, DeviceOwner owner = {},
      std::shared_ptr<CommonFft> common = std::make_shared<CommonFft>())
      : MatrixFreeSystem(input), owner_(std::move(owner)), common_(std::move(common)) {}

  void fill(const FillParameters& parameters, const SolverPlan& plan,
            const Monitor& monitor) override;
  std::size_t coarse_functions() const override {
    return device_preconditioner_ ? device_preconditioner_->coarse_functions() : 0;
  }
  /// The first of several owners gathers all of them.
  void gather_rows(const TakeRows& take) const override {
    if (is_first()) MatrixFreeSystem::gather_rows(take);
  }

 private:
  bool is_first() const { return !owner_.owners || owner_.owners->rank() == 0; }
  const LinearOperator& z() const override { return *operator_; }
  /// On the GPU, the near part apart; over a ground by reflection coefficients on the
  /// CPU.
  std::vector<Complex> exact_rows(std::span<const std::uint32_t> rows,
                                  std::span<const Complex> current) const override;
  Preconditioner* preconditioner() override {
    return device_preconditioner_ ? device_preconditioner_.get() : preconditioner_.get();
  }
  void make_preconditioner(const Monitor& monitor) override;
  void reset_preconditioner() override {
    preconditioner_.reset();
    device_preconditioner_.reset();
  }
  std::vector<SolveResult> iterate(std::span<const Complex> v, std::span<Complex> current,
                                   const SolverControl& control) override;
  void make_operator(const FillParameters& parameters, const SolverPlan& plan,
                     const Monitor& monitor);
  SchwarzGeometry make_geometry(SchwarzLevels levels, const Monitor& monitor) const;
  std::unique_ptr<DevicePreconditioner> make_two_level(const DeviceBlockReader& read,
                                                       const Monitor& monitor) const;
  std::unique_ptr<DevicePreconditioner> make_schwarz(const DeviceBlockReader& read,
                                                     const Monitor& monitor);

  DeviceOwner owner_;
  std::shared_ptr<CommonFft> common_;
  std::shared_future<SchwarzGeometry> geometry_;
  std::future<void> loading_;  ///< of what will invert the blocks
  std::shared_ptr<const FftOperator> host_;
  std::unique_ptr<DeviceFftOperator> operator_;
  std::unique_ptr<Preconditioner> preconditioner_;  ///< on the CPU
  std::unique_ptr<DevicePreconditioner> device_preconditioner_;
};

}  // namespace thinwire
