#pragma once

#include "kernels/device/check.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/spmv/segmented_scan.h"
#include "kernels/spmv/sparse_product.h"

namespace thinwire {
namespace device {

inline constexpr int scan_threads = 256;

/// The segments of one level, 256 elements a block. `element(k)` gives element k. Sums of
/// the heads go to sums[k], what a segment starts with to next[segment], where there is a
/// next level.
/// The paper sends the sums of threads that have nothing to add to cells that no one
/// reads; today's predicates need no such cells.
template <class V, class Element>
__global__ void __launch_bounds__(scan_threads)
    scan_segments(Element element, const std::uint8_t* __restrict__ hints,
                  std::int64_t elements, int segment, V* sums, V* next) {
  __shared__ V shared[scan_threads];
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t k = std::int64_t{blockIdx.x} * scan_threads + t;
  const bool here = k < elements;
  const int hint = here ? hints[k] : 0;
  shared[t] = here ? element(k) : V{};
  for (int step = segment / 2; step > 0; step /= 2) {
    __syncthreads();
    if (step <= hint && hint < 2 * step) shared[t - step] = shared[t - step] + shared[t];
  }
  __syncthreads();
  if (!here) return;
  if (hint == 0) sums[k] = shared[t];
  if (next != nullptr && k % segment == 0) next[k / segment] = shared[t];
}

/// Segments that start with a head have nothing to hand on.
template <class V>
__global__ void __launch_bounds__(pass_threads)
    clear_heads(const std::int64_t* ptr, std::size_t groups, int segment, V* next) {
  const std::size_t group = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (group < groups && ptr[group] % segment == 0 && ptr[group] < ptr[group + 1])
    next[ptr[group] / segment] = V{};
}

/// Totals of the groups of a level, in place at their heads.
template <class V>
__global__ void __launch_bounds__(pass_threads)
    total_groups(const std::int64_t* ptr, std::size_t groups, int segment, V* sums,
                 const V* next) {
  const std::size_t group = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (group < groups) sums[ptr[group]] = group_total(ptr, group, segment, sums, next);
}

template <class V>
__global__ void __launch_bounds__(pass_threads)
    store_rows(const std::int64_t* ptr, std::size_t rows, int segment, const V* sums,
               const V* next, V alpha, V beta, V* y) {
  const std::size_t row = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (row < rows)
    store_result(alpha, group_total(ptr, row, segment, sums, next), beta, y + row);
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
    Plain<V>* first = plain(sums_.data());
    for (const ScanLevel<DeviceBuffer>& level : plan_.levels) {
      const std::int64_t* ptr =
          levels_.empty() ? matrix_.row_ptr.data() : level.ptr.data();
      const std::size_t groups = levels_.empty() ? matrix_.rows : level.ptr.size() - 1;
      levels_.push_back({ptr, groups, level.hints.data(), level.hints.size(), first});
      first += level.hints.size();
    }
  }

  void multiply(V alpha, const V* x, V beta, V* y,
                const DeviceStream& stream) const override {
    using namespace device;
    if (matrix_.rows == 0) return;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      if (l == 0)
        scan(l, ProductElement<Plain<A>, Plain<V>>{matrix_.view(), plain(x)}, stream);
      else
        scan(l, StoredElement<Plain<V>>{levels_[l].sums}, stream);
      if (Plain<V>* next = sums_of(l + 1)) {
        const Level& level = levels_[l];
        clear_heads<<<pass_blocks(level.groups), pass_threads, 0, stream.get()>>>(
            level.ptr, level.groups, plan_.segment, next);
        check_launch("segmented scan, hand on");
      }
    }
    for (std::size_t l = levels_.size() - 1; l > 0; --l) {
      const Level& level = levels_[l];
      total_groups<<<pass_blocks(level.groups), pass_threads, 0, stream.get()>>>(
          level.ptr, level.groups, plan_.segment, level.sums, sums_of(l + 1));
      check_launch("segmented scan, totals");
    }
    const Level& first = levels_[0];
    store_rows<<<pass_blocks(first.groups), pass_threads, 0, stream.get()>>>(
        first.ptr, first.groups, plan_.segment, first.sums, sums_of(1),
        plain_value(alpha), plain_value(beta), plain(y));
    check_launch("segmented scan, rows");
  }
  std::size_t bytes() const override { return matrix_.bytes() + plan_.bytes(); }
  std::size_t work_bytes() const override { return sums_.bytes(); }

 private:
  struct Level {
    const std::int64_t* ptr;
    std::size_t groups;
    const std::uint8_t* hints;
    std::size_t elements;
    Plain<V>* sums;
  };

  Plain<V>* sums_of(std::size_t level) const {
    return level < levels_.size() ? levels_[level].sums : nullptr;
  }

  template <class Element>
  void scan(std::size_t number, Element element, const DeviceStream& stream) const {
    using namespace device;
    const Level& level = levels_[number];
    if (level.elements == 0) return;
    const auto blocks =
        static_cast<unsigned>((level.elements + scan_threads - 1) / scan_threads);
    scan_segments<Plain<V>><<<blocks, scan_threads, 0, stream.get()>>>(
        element, level.hints, static_cast<std::int64_t>(level.elements), plan_.segment,
        level.sums, sums_of(number + 1));
    check_launch("segmented scan");
  }

  Csr<A, DeviceBuffer> matrix_;
  ScanPlan<DeviceBuffer> plan_;
  DeviceBuffer<V> sums_;
  std::vector<Level> levels_;
};

}  // namespace thinwire
