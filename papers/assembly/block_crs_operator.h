#pragma once

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

}  // namespace thinwire
