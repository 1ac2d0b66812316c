#pragma once

#include <memory>
#include <span>

#include "kernels/device/device.h"
#include "kernels/spmv/csr.h"
#include "papers/sparse/sparse_method.h"

namespace thinwire {

/// y = alpha A x + beta y with A in one of the sparse formats. A and V, the type of the
/// vectors, are double, float or complex of these: V = A, or A real and V complex. With
/// beta = 0 what y holds is never read. All sums have a fixed order.
template <class A, class V>
class SparseProduct {
 public:
  virtual ~SparseProduct() = default;
  /// x: [columns], y: [rows], may not alias.
  virtual void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const = 0;
  /// Bytes of the matrix as allocated, and of what else the product works in.
  virtual std::size_t bytes() const = 0;
  virtual std::size_t work_bytes() const { return 0; }
  /// Returns the stored values for each entry, zeros included, for `runs`; else 0.
  virtual double fill() const { return 0; }
};

/// Makes the CPU product: plain loops over rows or segments on all threads. For (double,
/// double), (float, float), (Complex, Complex), the same in single, (double, Complex) and
/// (float, complex of float). Throws Error{usage} where the method has no such setting,
/// Error{numeric} if the method needs a symmetric matrix and this is none.
template <class A, class V>
std::unique_ptr<SparseProduct<A, V>> make_sparse_product(const SparseMethod& method,
                                                         const Csr<A>& matrix);

/// Returns the method whose product on the CPU is the same as this one's. On the CPU
/// there are no threads within a row, and no choice of how rows are distributed:
/// crs_vector, row_parallel and in_row are all csr there. What packs if it pays is the
/// format that it takes.
template <class A>
const SparseMethod& product_on_cpu(const SparseMethod& method, const Csr<A>& matrix);

/// make_sparse_product's on the current GPU.
template <class A, class V>
class DeviceSparseProduct {
 public:
  virtual ~DeviceSparseProduct() = default;
  /// x: [columns], y: [rows] on the GPU, 16-byte aligned, may not alias. Gives work to
  /// the stream and does not wait. One call at a time.
  virtual void multiply(V alpha, const V* x, V beta, V* y,
                        const DeviceStream& stream) const = 0;
  virtual std::size_t bytes() const = 0;
  virtual std::size_t work_bytes() const { return 0; }
  /// Returns the stored values for each entry, zeros included, for `runs`; else 0.
  virtual double fill() const { return 0; }
};

/// Throws what make_sparse_product does, and Error{memory}, Error{device}.
template <class A, class V>
std::unique_ptr<DeviceSparseProduct<A, V>> make_device_sparse_product(
    const SparseMethod& method, const Csr<A>& matrix);

/// Whether the method packs this matrix: always, or by the tests (7), (8).
template <class A>
SparseFormat chosen_format(const SparseMethod& method, const Csr<A>& matrix);

}  // namespace thinwire
