#pragma once

#include "cg/device_operator.h"
#include "cg/linear_operator.h"
#include "papers/assembly/block_product.h"

namespace thinwire {

/// A real symmetric matrix of 3 x 3 blocks as an operator. COCG with real vectors is
/// plain conjugate gradients.
class BlockCrsOperator final : public LinearOperator {
 public:
  /// matrix: its arrays must outlive the operator.
  explicit BlockCrsOperator(const BlockMatrixView& matrix) : matrix_(matrix) {}

  std::size_t size() const override { return 3 * matrix_.rows; }
  void apply(std::span<const Complex> x, std::span<Complex> y) const override {
    multiply_blocks(matrix_, x, y);
  }

 private:
  BlockMatrixView matrix_;
};

/// Operator on the current GPU.
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
