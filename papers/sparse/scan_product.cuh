#pragma once

#include "kernels/device/launch.cuh"
#include "kernels/device/pass.cuh"
#include "papers/sparse/segmented_scan.h"
#include "papers/sparse/sparse_product.h"
#include "papers/tuning.h"

namespace thinwire {
namespace device {

using tuning::scan_threads;

/// The segments of one level, 256 elements a block. `element(k)` gives element k. Sums of
/// the heads go to sums[k], what a segment starts with to next[segment], where there is a
/// next level. The paper sends the sums of threads that have nothing to add to cells that
/// no one reads; today's predicates need no such cells.
template <class V, class Element>
__global__ void __launch_bounds__(scan_threads)
    scan_segments(Element element, const std::uint8_t* hints, std::int64_t elements,
                  int segment, V* sums, V* next) {
  __shared__ V shared[scan_threads];
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t k = std::int64_t{blockIdx.x} * scan_threads + t;
  const bool here = k < elements, first = k % segment == 0;
  const int mark = here ? hints[k] : 0, hint = first ? 0 : mark;
  wait_for_kernel_before();
  shared[t] = here ? element(k) : V{};
  for (int step = segment / 2; step > 0; step /= 2) {
    __syncthreads();
    if (step <= hint && hint < 2 * step) shared[t - step] = shared[t - step] + shared[t];
  }
  __syncthreads();
  if (!here) return;
  if (hint == 0) sums[k] = shared[t];
  if (next != nullptr && first)
    next[k / segment] = mark == scan_goes_on ? shared[t] : V{};
}

template <class V>
__global__ void __launch_bounds__(pass_threads)
    store_scan(const std::int64_t* ptr, std::size_t rows, ScanSums<V> sums, V alpha,
               V beta, V* y) {
  const std::size_t row = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  wait_for_kernel_before();
  if (row < rows)
    store_result(alpha, scan_total(sums, ptr[row], ptr[row + 1]), beta, y + row);
}

template <class A, class V>
struct ProductElement {
  CsrView<A> matrix;
  const V* x;
  __device__ V operator()(std::int64_t k) const {
    V product{};
    add_product(product, read(matrix.value + k), read(x + read(matrix.column + k)));
    return product;
  }
};

template <class V>
struct StoredElement {
  const V* values;
  __device__ V operator()(std::int64_t k) const { return values[k]; }
};

}  // namespace device

template <class A, class V>
class ScanProduct final : public DeviceSparseProduct<A, V> {
 public:
  ScanProduct(Csr<A, DeviceBuffer> matrix, ScanPlan<DeviceBuffer> plan)
      : matrix_(std::move(matrix)),
        plan_(std::move(plan)),
        sums_(plan_.elements(), "segmented scan") {
    totals_.segment = plan_.segment;
    Plain<V>* next = plain(sums_.data());
    for (const DeviceBuffer<std::uint8_t>& hints : plan_.hints) {
      totals_.level[levels_.size()] = next;
      levels_.push_back(next);
      next += hints.size();
    }
  }

  void multiply(V alpha, const V* x, V beta, V* y,
                const DeviceStream& stream) const override {
    using namespace device;
    if (matrix_.rows == 0) return;
    scan(0, ProductElement<Plain<A>, Plain<V>>{matrix_.view(), plain(x)}, stream);
    for (std::size_t level = 1; level < levels_.size(); ++level)
      scan(level, StoredElement<Plain<V>>{levels_[level]}, stream);
    launch_overlapped("segmented scan, rows", store_scan<Plain<V>>,
                      pass_blocks(matrix_.rows), pass_threads, 0, stream,
                      matrix_.row_ptr.data(), matrix_.rows, totals_, plain_value(alpha),
                      plain_value(beta), plain(y));
  }
  std::size_t bytes() const override { return matrix_.bytes() + plan_.bytes(); }
  std::size_t work_bytes() const override { return sums_.bytes(); }

 private:
  template <class Element>
  void scan(std::size_t level, Element element, const DeviceStream& stream) const {
    using namespace device;
    const DeviceBuffer<std::uint8_t>& hints = plan_.hints[level];
    if (hints.size() == 0) return;
    const auto blocks =
        static_cast<unsigned>((hints.size() + scan_threads - 1) / scan_threads);
    launch_overlapped("segmented scan", scan_segments<Plain<V>, Element>, blocks,
                      scan_threads, 0, stream, element, hints.data(),
                      static_cast<std::int64_t>(hints.size()), plan_.segment,
                      levels_[level],
                      level + 1 < levels_.size() ? levels_[level + 1] : nullptr);
  }

  Csr<A, DeviceBuffer> matrix_;
  ScanPlan<DeviceBuffer> plan_;
  DeviceBuffer<V> sums_;
  std::vector<Plain<V>*> levels_;
  ScanSums<Plain<V>> totals_;
};

}  // namespace thinwire
