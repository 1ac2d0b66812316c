#pragma once

#include <memory>

#include "cg/device_operator.h"
#include "kernels/spmv/sparse_product.h"

namespace thinwire {

/// SparseOperator on the current GPU. Not for Placement::graph with crs-vector's versions
/// 0, 2 and 3, which wait for their kernels.
template <class A>
class DeviceSparseOperator final : public DeviceOperator {
 public:
  /// Of a square matrix. Throws what make_device_sparse_product does.
  DeviceSparseOperator(const SparseMethod& method, const Csr<A>& matrix)
      : size_(matrix.rows),
        product_(make_device_sparse_product<A, Complex>(method, matrix)) {}

  std::size_t size() const override { return size_; }
  void multiply(const Complex* x, Complex* y, int rhs_count,
                const DeviceStream& stream) const override {
    for (int rhs = 0; rhs < rhs_count; ++rhs)
      product_->multiply(1, x + rhs * padded(), 0, y + rhs * padded(), stream);
  }

 private:
  std::size_t size_;
  std::unique_ptr<DeviceSparseProduct<A, Complex>> product_;
};

}  // namespace thinwire
