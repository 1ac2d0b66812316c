#pragma once

#include <cstddef>

#include "cg/direct/block_ldlt.h"
#include "cg/direct/expand.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/libraries.cuh"
#include "kernels/device/tuning.h"

/// The arithmetic of the factorisation on a GPU.
namespace thinwire::ldlt {

using namespace device;

inline constexpr int base = LdltLayout{}.base;  // blocks that one thread block inverts
inline constexpr int inversion_threads = tuning::inversion_threads;
/// For products with vectors: what cuBLAS recommends for Hopper.
inline constexpr std::size_t workspace_bytes = std::size_t{32} << 20;
static_assert(base == PackedTiles::tile && tuning::ldlt_panel % base == 0 &&
              tuning::ldlt_columns % tuning::ldlt_panel == 0);

/// Inverts the symmetric base x base block in place, in double inside: Gauss-Jordan with
/// row pivoting in shared memory, which leaves the inverse in both triangles. A singular
/// block gives numbers that are not finite.
template <class Entry>
__global__ void __launch_bounds__(inversion_threads)
    invert_base_kernel(Entry* a, std::size_t leading) {
  using Real = decltype(Entry::x);
  extern __shared__ __align__(16) unsigned char memory[];
  auto& m = *reinterpret_cast<Entry(*)[base][base + 1]>(memory);
  __shared__ double2 row[base], column[base];
  __shared__ int pivots[base];
  const int t = threadIdx.x;
  for (int e = t; e < base * base; e += inversion_threads) {
    const int i = e % base, j = e / base;
    m[i][j] = i >= j ? a[j * leading + i] : a[i * leading + j];
  }
  __syncthreads();
  for (int k = 0; k < base; ++k) {
    if (t < 32) {
      Real best = -1;
      int at = k;
      for (int i = k + t; i < base; i += 32) {
        const Real here = m[i][k].x * m[i][k].x + m[i][k].y * m[i][k].y;
        if (here > best) {
          best = here;
          at = i;
        }
      }
      for (int bit = 16; bit > 0; bit /= 2) {
        const Real other = __shfl_xor_sync(0xffffffffu, best, bit);
        const int other_at = __shfl_xor_sync(0xffffffffu, at, bit);
        if (other > best || (other == best && other_at < at)) {
          best = other;
          at = other_at;
        }
      }
      if (t == 0) pivots[k] = at;
    }
    __syncthreads();
    const int p = pivots[k];
    const double2 inverse = double2{1, 0} / widen(m[p][k]);
    __syncthreads();
    if (t < base) {
      const double2 of_pivot = widen(m[p][t]);
      m[p][t] = m[k][t];
      row[t] = t == k ? inverse : inverse * of_pivot;
    }
    __syncthreads();
    if (t < base) column[t] = widen(m[t][k]);
    __syncthreads();
    for (int e = t; e < base * base; e += inversion_threads) {
      const int i = e / base, j = e % base;
      double2 value = j == k ? double2{0, 0} : widen(m[i][j]);
      add_product(value, double2{-column[i].x, -column[i].y}, row[j]);
      store(&m[i][j], i == k ? row[j] : value);
    }
    __syncthreads();
  }
  for (int k = base; k-- > 0;) {
    const int p = pivots[k];
    if (p != k && t < base) {
      const Entry kept = m[t][k];
      m[t][k] = m[t][p];
      m[t][p] = kept;
    }
    __syncthreads();
  }
  for (int e = t; e < base * base; e += inversion_threads) {
    const int i = e % base, j = e / base;
    a[j * leading + i] = {Real{0.5} * (m[i][j].x + m[j][i].x),
                          Real{0.5} * (m[i][j].y + m[j][i].y)};
  }
}

template <class Entry>
__global__ void narrow(const double2* from, Entry* to, std::size_t n,
                       std::size_t padded) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < padded) store(to + i, i < n ? from[i] : double2{0, 0});
}

inline constexpr LibraryUse ldlt_use = {"direct solver", "Use an iterative solver."};

/// Calls of cuBLAS that have no form for all types.
inline constexpr auto geam(float2) {
  return cublasCgeam_64;
}
inline constexpr auto geam(double2) {
  return cublasZgeam_64;
}
inline constexpr auto gemv(float2) {
  return cublasCgemv_64;
}
inline constexpr auto gemv(double2) {
  return cublasZgemv_64;
}

/// The arithmetic of BlockLdlt on the GPU, in complex single (float2) or double
/// (double2).
template <class Entry>
struct Executor {
  static constexpr bool single = sizeof(Entry) == sizeof(float2);
  static constexpr cublasComputeType_t full_precision =
      single ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F;

  static constexpr std::size_t base = ldlt::base;

  const Cublas& cublas;
  const DeviceStream& stream;
  cublasComputeType_t max_work = full_precision;

  void invert_base(Block<Entry> a, std::size_t) const {  // all are of order `base`
    constexpr std::size_t bytes = base * (base + 1) * sizeof(Entry);
    allow_shared(invert_base_kernel<Entry>, bytes, "LDL^T, inversion");
    invert_base_kernel<<<1, inversion_threads, bytes, stream.get()>>>(a.first, a.leading);
    check_launch("LDL^T, inversion");
  }

  void copy(std::size_t rows, std::size_t columns, Block<Entry> a,
            Block<Entry> to) const {
    constexpr std::size_t entry = sizeof(Entry);
    check_cuda(
        cudaMemcpy2DAsync(to.first, to.leading * entry, a.first, a.leading * entry,
                          rows * entry, columns, cudaMemcpyDeviceToDevice, stream.get()),
        "LDL^T, panel", "cudaMemcpy2DAsync");
  }

  void transpose(std::size_t rows, std::size_t columns, Block<Entry> a,
                 Block<Entry> to) const {
    const Entry one = {1, 0}, zero = {0, 0};
    check_cublas(ldlt_use,
                 geam(Entry{})(cublas.get(), CUBLAS_OP_T, CUBLAS_OP_N, size(columns),
                               size(rows), &one, a.first, size(a.leading), &zero,
                               to.first, size(to.leading), to.first, size(to.leading)),
                 "cublas geam");
  }

  /// A product with one vector by gemv.
  void multiply(const Product& p, Block<Entry> a, Block<Entry> b, Block<Entry> c) const {
    constexpr cudaDataType type = single ? CUDA_C_32F : CUDA_C_64F;
    const Entry alpha = scalar(p.alpha), beta = scalar(p.beta);
    if (p.columns == 1)
      return check_cublas(
          ldlt_use,
          gemv(Entry{})(cublas.get(), operation(p.transposed_a),
                        size(p.transposed_a ? p.depth : p.rows),
                        size(p.transposed_a ? p.rows : p.depth), &alpha, a.first,
                        size(a.leading), b.first, 1, &beta, c.first, 1),
          "cublas gemv");
    check_cublas(
        ldlt_use,
        cublasGemmEx_64(cublas.get(), operation(p.transposed_a),
                        operation(p.transposed_b), size(p.rows), size(p.columns),
                        size(p.depth), &alpha, a.first, type, size(a.leading), b.first,
                        type, size(b.leading), &beta, c.first, type, size(c.leading),
                        p.max_work ? max_work : full_precision, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
  }

 private:
  using Real = decltype(Entry::x);
  static std::int64_t size(std::size_t count) { return static_cast<std::int64_t>(count); }
  static Entry scalar(double value) { return {static_cast<Real>(value), 0}; }
  static cublasOperation_t operation(bool transposed) {
    return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  }
};

/// Solves with `multiply(x, y)`, the product with the inverse in the factors' precision,
/// between vectors in complex double. r, z: [n]; x, y: [order]. For products in a graph,
/// too.
template <class Entry, class Multiply>
void apply_factors(const Cublas& cublas, const DeviceBuffer<std::byte>& workspace,
                   const LdltLayout& layout, const Complex* r, Complex* z, Entry* x,
                   Entry* y, const DeviceStream& stream, const Multiply& multiply) {
  const std::size_t n = layout.n, order = layout.order();
  check_cublas(ldlt_use, cublasSetStream(cublas.get(), stream.get()), "cublasSetStream");
  // Without a workspace of its own cuBLAS allocates while a graph is captured.
  check_cublas(ldlt_use,
               cublasSetWorkspace(cublas.get(), workspace.data(), workspace.bytes()),
               "cublasSetWorkspace");
  narrow<<<pass_blocks(order), pass_threads, 0, stream.get()>>>(thinwire::parts(r), x, n,
                                                                order);
  check_launch("LDL^T, narrow");
  multiply(x, y);
  widen_all<<<pass_blocks(order), pass_threads, 0, stream.get()>>>(y, thinwire::parts(z),
                                                                   n);
  check_launch("LDL^T, widen");
}

}  // namespace thinwire::ldlt
