#pragma once

#include "kernels/device/launch.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/device/tuning.h"
#include "kernels/spmv/segmented_scan.h"
#include "kernels/spmv/sparse_product.h"

namespace thinwire {
namespace device {

using tuning::scan_last_threads;
using tuning::scan_threads;

/// Where the sums of a level go: those of heads to sums[k], what a segment starts with to
/// next[segment], where there is a next level.
template <class V>
struct ScanLevel {
  const std::uint8_t* hints;
  std::int64_t elements;
  V *sums, *next;
};

/// Element k of a level, of value `element()`, where the block has neighbours of it in
/// its other threads, whole segments. All threads of the block call this. The paper sends
/// the sums of threads that have nothing to add to cells that no one reads; today's
/// predicates need no such cells.
template <class V, class Element>
__device__ void scan_element(const ScanLevel<V>& level, int segment, std::int64_t k,
                             int mark, V* shared, const Element& element) {
  const int t = static_cast<int>(threadIdx.x);
  const bool here = k < level.elements, first = k % segment == 0;
  const int hint = first ? 0 : mark;
  shared[t] = here ? element() : V{};
  for (int step = segment / 2; step > 0; step /= 2) {
    __syncthreads();
    if (step <= hint && hint < 2 * step) shared[t - step] = shared[t - step] + shared[t];
  }
  __syncthreads();
  if (!here) return;
  if (hint == 0) level.sums[k] = shared[t];
  if (level.next != nullptr && first)
    level.next[k / segment] = mark == scan_goes_on ? shared[t] : V{};
}

/// The segments of one level, 256 elements a block. `element(k)` gives element k.
template <class V, class Element>
__global__ void __launch_bounds__(scan_threads)
    scan_segments(Element element, ScanLevel<V> level, int segment) {
  __shared__ V shared[scan_threads];
  const std::int64_t k = std::int64_t{blockIdx.x} * scan_threads + threadIdx.x;
  const int mark = k < level.elements ? level.hints[k] : 0;
  wait_for_kernel_before();
  let_next_kernel_start();
  scan_element(level, segment, k, mark, shared, [&] { return element(k); });
}

/// The last levels, each of few elements, by one block: a launch for all of them.
template <class V>
struct ScanLevels {
  static constexpr int most = 8;
  static constexpr std::size_t most_elements = 8192;  ///< of the first: 4^6.5
  int count = 0;
  ScanLevel<V> level[most];
};
template <class V>
__global__ void __launch_bounds__(scan_last_threads)
    scan_last_levels(ScanLevels<V> levels, int segment) {
  __shared__ V shared[scan_last_threads];
  wait_for_kernel_before();
  let_next_kernel_start();
  for (int l = 0; l < levels.count; ++l) {
    const ScanLevel<V>& level = levels.level[l];
    for (std::int64_t begin = 0; begin < level.elements; begin += scan_last_threads) {
      const std::int64_t k = begin + threadIdx.x;
      scan_element(level, segment, k, k < level.elements ? level.hints[k] : 0, shared,
                   [&] { return level.sums[k]; });
      __syncthreads();  // shared memory is free, and the next level is there
    }
  }
}

template <class V>
__global__ void __launch_bounds__(pass_threads)
    store_scan(const std::int64_t* ptr, std::size_t rows, ScanSums<V> sums, V alpha,
               V beta, V* y) {
  const std::size_t row = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  wait_for_kernel_before();
  let_next_kernel_start();
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
    std::size_t level = 1;
    for (; level < levels_.size() && plan_.hints[level].size() > Levels::most_elements;
         ++level)
      scan(level, StoredElement<Plain<V>>{levels_[level]}, stream);
    Levels last;
    for (; level < levels_.size(); ++level) last.level[last.count++] = level_at(level);
    if (last.count > 0)
      launch_overlapped("segmented scan, last levels", scan_last_levels<Plain<V>>, 1,
                        scan_last_threads, 0, stream, last, plan_.segment);
    launch_overlapped("segmented scan, rows", store_scan<Plain<V>>,
                      pass_blocks(matrix_.rows), pass_threads, 0, stream,
                      matrix_.row_ptr.data(), matrix_.rows, totals_, plain_value(alpha),
                      plain_value(beta), plain(y));
  }
  std::size_t bytes() const override { return matrix_.bytes() + plan_.bytes(); }
  std::size_t work_bytes() const override { return sums_.bytes(); }

 private:
  using Levels = device::ScanLevels<Plain<V>>;

  template <class Element>
  void scan(std::size_t level, Element element, const DeviceStream& stream) const {
    using namespace device;
    const std::size_t elements = plan_.hints[level].size();
    if (elements == 0) return;
    const auto blocks =
        static_cast<unsigned>((elements + scan_threads - 1) / scan_threads);
    launch_overlapped("segmented scan", scan_segments<Plain<V>, Element>, blocks,
                      scan_threads, 0, stream, element, level_at(level), plan_.segment);
  }

  device::ScanLevel<Plain<V>> level_at(std::size_t level) const {
    return {plan_.hints[level].data(),
            static_cast<std::int64_t>(plan_.hints[level].size()), levels_[level],
            level + 1 < levels_.size() ? levels_[level + 1] : nullptr};
  }

  Csr<A, DeviceBuffer> matrix_;
  ScanPlan<DeviceBuffer> plan_;
  DeviceBuffer<V> sums_;
  std::vector<Plain<V>*> levels_;
  ScanSums<Plain<V>> totals_;
};

}  // namespace thinwire
