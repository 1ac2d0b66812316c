#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cg/device_operator.h"
#include "cg/direct/device_factors.h"
#include "cg/precondition/device_overlap.h"
#include "kernels/spmv/csr.h"

namespace thinwire {

/// TwoLevelSchwarz on the GPU: the coarse problem by LDL^T in complex double, because
/// elimination without pivots loses digits that count near a cavity's resonances: a hull
/// of 1.5 million unknowns and 14,123 coarse functions takes 25 iterations with double,
/// 33 with single. In TF32 where factors in double would be too large.
class DeviceTwoLevelSchwarz final : public DevicePreconditioner {
 public:
  /// z: must outlive this. prolongation: P, [z.size()][coarse functions], restriction its
  /// transpose. coarse: P^T Z P or something near it, in tiles of complex single; may go
  /// afterwards. Throws Error{numeric} where sizes differ, Error{memory}.
  DeviceTwoLevelSchwarz(const DeviceOperator& z,
                        std::unique_ptr<DeviceOverlapPreconditioner> blocks,
                        const Csr<double>& prolongation, const Csr<double>& restriction,
                        const DeviceTiles& coarse);

  std::size_t size() const override { return z_->size(); }
  bool symmetric() const override { return false; }
  void multiply(const Complex* r, Complex* z, const DeviceStream& stream) const override;
  /// z: a DeviceOperator.
  void set_operator(const LinearOperator& z) override {
    z_ = &dynamic_cast<const DeviceOperator&>(z);
  }
  std::size_t coarse_functions() const override { return coarse_.size(); }
  std::size_t bytes() const override;

  /// The products of the factors of so many coarse functions.
  static LdltProducts products_for(std::size_t coarse_functions) {
    constexpr std::size_t max_in_double = 32768;
    return coarse_functions <= max_in_double ? LdltProducts::complex_double
                                             : LdltProducts::tf32;
  }

 private:
  const DeviceOperator* z_;
  std::unique_ptr<DeviceOverlapPreconditioner> blocks_;
  Csr<double, DeviceBuffer> prolongation_, restriction_;
  DeviceLdlt coarse_;
  mutable DeviceBuffer<Complex> moment_, amplitude_;  // [coarse functions]
  mutable DeviceBuffer<Complex> y_, residual_;        // [z_->padded()]
};

}  // namespace thinwire
