#pragma once

#include "cg/linear_operator.h"
#include "kernels/matrix/symv.h"

namespace thinwire {

/// A matrix on the GPU as the solvers see it. With solve_cg and its like of solver.h this
/// is the placement `product` (Case 1 of Katsuda et al. 2012): the product runs on the
/// GPU, the vectors live on the CPU and travel at each product.
class DeviceOperator final : public LinearOperator {
 public:
  /// z must outlive this. Throws Error{memory}.
  explicit DeviceOperator(const DeviceTiles& z);

  std::size_t size() const override { return z_.layout().n; }
  /// One at a time: the vectors on the GPU are this object's own.
  void apply(std::span<const Complex> x, std::span<Complex> y) const override;

  const DeviceTiles& tiles() const { return z_; }
  /// For solvers that keep their vectors on the GPU.
  DeviceSymv& symv() const { return symv_; }
  const DeviceStream& stream() const { return stream_; }

 private:
  const DeviceTiles& z_;
  DeviceStream stream_;
  mutable DeviceSymv symv_;
  mutable DeviceBuffer<Complex> x_, y_;  // [padded]
};

}  // namespace thinwire
