#pragma once

#include "cg/device_operator.h"
#include "papers/assembly/block_product.h"

namespace thinwire {

/// BlockCrsOperator on the current GPU.
class DeviceBlockCrsOperator final : public DeviceOperator {
 public:
  /// matrix: its arrays, on the GPU, must outlive the operator.
  explicit DeviceBlockCrsOperator(const BlockMatrixView& matrix) : matrix_(matrix) {}

  std::size_t size() const override { return 3 * matrix_.rows; }
  void multiply(const Complex* x, Complex* y, int sides,
                const DeviceStream& stream) const override {
    for (int side = 0; side < sides; ++side)
      multiply_blocks(matrix_, x + side * padded(), y + side * padded(), stream);
  }

 private:
  BlockMatrixView matrix_;
};

}  // namespace thinwire
