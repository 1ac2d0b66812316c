#include "papers/sparse/sparse_product.h"

#include <complex>
#include <string>

#include "kernels/device/check.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/spmv/run_matrix.h"
#include "papers/sparse/crs_vector.cuh"
#include "papers/sparse/packed_rows.h"
#include "papers/sparse/row_sum.h"
#include "papers/sparse/scan_product.cuh"
#include "papers/tuning.h"

namespace thinwire {
namespace {

using namespace device;

using tuning::distributed_blocks, tuning::in_row_blocks, tuning::in_row_threads;

/// One thread a row.
template <class Matrix, class V>
__global__ void __launch_bounds__(pass_threads)
    row_per_thread(Matrix matrix, std::size_t rows, V alpha, const V* __restrict__ x,
                   V beta, V* y) {
  const std::size_t row = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (row < rows) store_result(alpha, row_sum(matrix, row, x), beta, y + row);
}

/// Rows distributed to all threads of a fixed grid, in blocks or cyclically.
template <class A, class V>
__global__ void __launch_bounds__(pass_threads)
    rows_dealt_out(CsrView<A> matrix, bool cyclic, V alpha, const V* __restrict__ x,
                   V beta, V* y) {
  const std::size_t thread = std::size_t{blockIdx.x} * pass_threads + threadIdx.x,
                    threads = std::size_t{gridDim.x} * pass_threads,
                    each = (matrix.rows + threads - 1) / threads;
  const std::size_t first = cyclic ? thread : thread * each,
                    last = cyclic ? matrix.rows : min(matrix.rows, first + each);
  for (std::size_t row = first; row < last; row += cyclic ? threads : 1)
    store_result(alpha, row_sum(matrix, row, x), beta, y + row);
}

/// A row a block: its threads share the entries, each a piece of them or in turns, and
/// add up their sums.
template <class A, class V>
__global__ void __launch_bounds__(in_row_threads)
    row_per_block(CsrView<A> matrix, bool cyclic_rows, bool cyclic_entries, V alpha,
                  const V* __restrict__ x, V beta, V* y) {
  __shared__ V shared[in_row_threads];
  const std::size_t each = (matrix.rows + gridDim.x - 1) / gridDim.x,
                    begin = cyclic_rows ? blockIdx.x : blockIdx.x * each,
                    end = cyclic_rows ? matrix.rows : min(matrix.rows, begin + each);
  for (std::size_t row = begin; row < end; row += cyclic_rows ? gridDim.x : 1) {
    const std::int64_t first = matrix.row_ptr[row], last = matrix.row_ptr[row + 1],
                       share = (last - first + in_row_threads - 1) / in_row_threads;
    std::int64_t k = first + (cyclic_entries ? threadIdx.x : threadIdx.x * share);
    const std::int64_t stop = cyclic_entries ? last : min(last, k + share);
    V sum{};
    for (; k < stop; k += cyclic_entries ? in_row_threads : 1)
      add_product(sum, read(matrix.value + k), read(x + read(matrix.column + k)));
    shared[threadIdx.x] = sum;
    __syncthreads();
    for (int half = in_row_threads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half)
        shared[threadIdx.x] = shared[threadIdx.x] + shared[threadIdx.x + half];
      __syncthreads();
    }
    if (threadIdx.x == 0) store_result(alpha, shared[0], beta, y + row);
    __syncthreads();
  }
}

template <class A, class V, class Matrix>
class RowProduct final : public DeviceSparseProduct<A, V> {
 public:
  RowProduct(Matrix matrix, std::size_t rows) : matrix_(std::move(matrix)), rows_(rows) {}
  void multiply(V alpha, const V* x, V beta, V* y,
                const DeviceStream& stream) const override {
    if (rows_ == 0) return;
    row_per_thread<<<pass_blocks(rows_), pass_threads, 0, stream.get()>>>(
        matrix_.view(), rows_, plain_value(alpha), plain(x), plain_value(beta), plain(y));
    check_launch("sparse product, a thread a row");
  }
  std::size_t bytes() const override { return matrix_.bytes(); }

 private:
  Matrix matrix_;
  std::size_t rows_;
};

/// Everything that reads plain CSR.
template <class A, class V>
class CsrProduct final : public DeviceSparseProduct<A, V> {
 public:
  CsrProduct(const SparseMethod& method, Csr<A, DeviceBuffer> matrix)
      : method_(method),
        matrix_(std::move(matrix)),
        threads_(method.threads > 0 ? method.threads
                                    : threads_per_row(matrix_.entries(), matrix_.rows)) {}

  void multiply(V alpha, const V* x, V beta, V* y,
                const DeviceStream& stream) const override {
    if (matrix_.rows == 0) return;
    const Plain<V> a = plain_value(alpha), b = plain_value(beta);
    const auto view = matrix_.view();
    const auto rows =
        static_cast<unsigned>(std::min<std::size_t>(matrix_.rows, 1u << 30));
    if (method_.format == SparseFormat::crs_vector)
      return crs_vector(view, method_.version, threads_, matrix_.columns, a, plain(x), b,
                        plain(y), stream);
    if (method_.format == SparseFormat::in_row)
      row_per_block<<<std::min(rows, in_row_blocks), in_row_threads, 0, stream.get()>>>(
          view, method_.rows == Distribution::cyclic,
          method_.entries == Distribution::cyclic, a, plain(x), b, plain(y));
    else
      rows_dealt_out<<<std::min(pass_blocks(rows), distributed_blocks), pass_threads, 0,
                       stream.get()>>>(view, method_.rows == Distribution::cyclic, a,
                                       plain(x), b, plain(y));
    check_launch("sparse product");
  }
  std::size_t bytes() const override { return matrix_.bytes(); }

 private:
  SparseMethod method_;
  Csr<A, DeviceBuffer> matrix_;
  int threads_;
};

template <class A, class V>
class RunProduct final : public DeviceSparseProduct<A, V> {
 public:
  RunProduct(const Csr<A>& matrix, int piece_rows)
      : matrix_(make_run_matrix(matrix, piece_rows)) {}
  void multiply(V alpha, const V* x, V beta, V* y,
                const DeviceStream& stream) const override {
    matrix_.multiply(alpha, x, beta, y, stream);
  }
  std::size_t bytes() const override { return matrix_.bytes(); }
  std::size_t work_bytes() const override { return matrix_.work_bytes(); }
  double fill() const override { return matrix_.fill(); }

 private:
  DeviceRunMatrix<A, V> matrix_;
};

/// Copies of the host's formats on the GPU.
class Uploader {
 public:
  template <class T>
  DeviceBuffer<T> operator()(const std::vector<T>& values) const {
    return uploaded(values, "sparse matrix", stream_);
  }
  template <class A>
  Csr<A, DeviceBuffer> operator()(const Csr<A>& m) const {
    return {m.rows, m.columns, (*this)(m.row_ptr), (*this)(m.column), (*this)(m.value)};
  }
  template <class A>
  Ell<A, DeviceBuffer> operator()(const Ell<A>& m) const {
    return {m.rows, m.width, (*this)(m.value), (*this)(m.column), (*this)(m.length)};
  }
  template <class A>
  RbpCsr<A, DeviceBuffer> operator()(const RbpCsr<A>& m) const {
    return {
        m.rows,           (*this)(m.value_ptr), (*this)(m.column_ptr), (*this)(m.column),
        (*this)(m.value), (*this)(m.singles)};
  }
  template <class A>
  RbpEll<A, DeviceBuffer> operator()(const RbpEll<A>& m) const {
    return {(*this)(m.runs), m.column_width, (*this)(m.singles)};
  }
  ScanPlan<DeviceBuffer> operator()(const ScanPlan<>& plan) const {
    ScanPlan<DeviceBuffer> copy{plan.segment, {}};
    for (const std::vector<std::uint8_t>& hints : plan.hints)
      copy.hints.push_back((*this)(hints));
    return copy;
  }

 private:
  DeviceStream stream_;
};

}  // namespace

template <class A, class V>
std::unique_ptr<DeviceSparseProduct<A, V>> make_device_sparse_product(
    const SparseMethod& method, const Csr<A>& matrix) {
  const Uploader upload;
  const auto by_rows =
      [&](const auto& packed) -> std::unique_ptr<DeviceSparseProduct<A, V>> {
    auto copy = upload(packed);
    return std::make_unique<RowProduct<A, V, decltype(copy)>>(std::move(copy),
                                                              matrix.rows);
  };
  switch (chosen_format(method, matrix)) {
    case SparseFormat::csr:
      return by_rows(matrix);
    case SparseFormat::ell:
      return by_rows(make_ell(matrix, false));
    case SparseFormat::ell_r:
      return by_rows(make_ell(matrix, true));
    case SparseFormat::rbp_csr:
      return by_rows(make_rbp_csr(matrix));
    case SparseFormat::rbp_ell:
      return by_rows(make_rbp_ell(matrix, false));
    case SparseFormat::rbp_ell_r:
      return by_rows(make_rbp_ell(matrix, true));
    case SparseFormat::runs:
      return std::make_unique<RunProduct<A, V>>(matrix, method.piece_rows);
    case SparseFormat::segmented_scan:
      return std::make_unique<ScanProduct<A, V>>(
          upload(matrix), upload(make_scan_plan(matrix.row_ptr, method.segment)));
    case SparseFormat::crs_vector:
    case SparseFormat::row_parallel:
    case SparseFormat::in_row:
      break;
  }
  return std::make_unique<CsrProduct<A, V>>(method, upload(matrix));
}

template <class A, class V>
using Product = std::unique_ptr<DeviceSparseProduct<A, V>>;
using Double = std::complex<double>;
using Single = std::complex<float>;
template Product<double, double> make_device_sparse_product(const SparseMethod&,
                                                            const Csr<double>&);
template Product<float, float> make_device_sparse_product(const SparseMethod&,
                                                          const Csr<float>&);
template Product<Double, Double> make_device_sparse_product(const SparseMethod&,
                                                            const Csr<Double>&);
template Product<Single, Single> make_device_sparse_product(const SparseMethod&,
                                                            const Csr<Single>&);
template Product<double, Double> make_device_sparse_product(const SparseMethod&,
                                                            const Csr<double>&);
template Product<float, Single> make_device_sparse_product(const SparseMethod&,
                                                           const Csr<float>&);

}  // namespace thinwire
