#pragma once

#include <memory>

#include "cg/device_operator.h"
#include "cg/linear_operator.h"
#include "papers/sparse/sparse_product.h"

namespace thinwire {

/// A sparse matrix in one of the formats as an operator: real or complex,
/// A = double or Complex. The solvers but GMRES take it for symmetric, which GMRES, that
/// only multiplies, does not.
template <class A>
class SparseOperator final : public LinearOperator {
 public:
  /// Makes the operator of a square matrix. Throws what make_sparse_product throws.
  SparseOperator(const SparseMethod& method, const Csr<A>& matrix)
      : size_(matrix.rows), product_(make_sparse_product<A, Complex>(method, matrix)) {}

  std::size_t size() const override { return size_; }
  void apply(std::span<const Complex> x, std::span<Complex> y) const override {
    product_->multiply(1, x, 0, y);
  }

 private:
  std::size_t size_;
  std::unique_ptr<SparseProduct<A, Complex>> product_;
};

/// Operator on the current GPU. Not for Placement::graph with crs-vector's versions 0, 2
/// and 3, which wait for their kernels.
template <class A>
class DeviceSparseOperator final : public DeviceOperator {
 public:
  /// Makes the operator of a square matrix. Throws what make_device_sparse_product
  /// throws.
  DeviceSparseOperator(const SparseMethod& method, const Csr<A>& matrix)
      : size_(matrix.rows),
        product_(make_device_sparse_product<A, Complex>(method, matrix)) {}

  std::size_t size() const override { return size_; }
  void multiply(const Complex* x, Complex* y, int sides,
                const DeviceStream& stream) const override {
    for (int side = 0; side < sides; ++side)
      product_->multiply(1, x + side * padded(), 0, y + side * padded(), stream);
  }

 private:
  std::size_t size_;
  std::unique_ptr<DeviceSparseProduct<A, Complex>> product_;
};

}  // namespace thinwire
