#pragma once

#include <cstddef>

#include "cg/direct/block_ldlt.h"
#include "cg/direct/expand.cuh"
#include "kernels/device/libraries.cuh"
#include "kernels/device/tuning.h"

/// Common parts of the factorisations on one GPU and on several.
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
static __global__ void __launch_bounds__(inversion_threads)
    invert_base_kernel(float2* a, std::size_t leading) {
  __shared__ float2 m[base][base + 1];
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
      float best = -1;
      int at = k;
      for (int i = k + t; i < base; i += 32) {
        const float here = m[i][k].x * m[i][k].x + m[i][k].y * m[i][k].y;
        if (here > best) {
          best = here;
          at = i;
        }
      }
      for (int bit = 16; bit > 0; bit /= 2) {
        const float other = __shfl_xor_sync(0xffffffffu, best, bit);
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
      const float2 kept = m[t][k];
      m[t][k] = m[t][p];
      m[t][p] = kept;
    }
    __syncthreads();
  }
  for (int e = t; e < base * base; e += inversion_threads) {
    const int i = e % base, j = e / base;
    a[j * leading + i] = {0.5f * (m[i][j].x + m[j][i].x), 0.5f * (m[i][j].y + m[j][i].y)};
  }
}

static __global__ void narrow(const double2* from, float2* to, std::size_t n,
                              std::size_t padded) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < padded) store(to + i, i < n ? from[i] : double2{0, 0});
}
static __global__ void widen_all(const float2* from, double2* to, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) to[i] = widen(from[i]);
}

inline constexpr LibraryUse ldlt_use = {"direct solver", "Use an iterative solver."};

/// The arithmetic of BlockLdlt in complex single on the GPU.
struct Executor {
  const Cublas& cublas;
  const DeviceStream& stream;
  cublasComputeType_t max_work;

  void invert_base(Block<float2> a) const {
    invert_base_kernel<<<1, inversion_threads, 0, stream.get()>>>(a.first, a.leading);
    check_launch("LDL^T, inversion");
  }

  void copy(std::size_t rows, std::size_t columns, Block<float2> a,
            Block<float2> to) const {
    constexpr std::size_t entry = sizeof(float2);
    check_cuda(
        cudaMemcpy2DAsync(to.first, to.leading * entry, a.first, a.leading * entry,
                          rows * entry, columns, cudaMemcpyDeviceToDevice, stream.get()),
        "LDL^T, panel", "cudaMemcpy2DAsync");
  }

  void transpose(std::size_t rows, std::size_t columns, Block<float2> a,
                 Block<float2> to) const {
    const cuComplex one = {1, 0}, zero = {0, 0};
    check_cublas(ldlt_use,
                 cublasCgeam_64(cublas.get(), CUBLAS_OP_T, CUBLAS_OP_N, size(columns),
                                size(rows), &one, a.first, size(a.leading), &zero,
                                to.first, size(to.leading), to.first, size(to.leading)),
                 "cublasCgeam");
  }

  void multiply(const Product& p, Block<float2> a, Block<float2> b,
                Block<float2> c) const {
    const cuComplex alpha = scalar(p.alpha), beta = scalar(p.beta);
    check_cublas(ldlt_use,
                 cublasGemmEx_64(
                     cublas.get(), operation(p.transposed_a), operation(p.transposed_b),
                     size(p.rows), size(p.columns), size(p.depth), &alpha, a.first,
                     CUDA_C_32F, size(a.leading), b.first, CUDA_C_32F, size(b.leading),
                     &beta, c.first, CUDA_C_32F, size(c.leading),
                     p.max_work ? max_work : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                 "cublasGemmEx");
  }

  void multiply_vector(bool transposed, std::size_t rows, std::size_t columns,
                       double alpha, Block<float2> a, const float2* x, double beta,
                       float2* y) const {
    const cuComplex a_scalar = scalar(alpha), y_scalar = scalar(beta);
    check_cublas(
        ldlt_use,
        cublasCgemv_64(cublas.get(), operation(transposed), size(rows), size(columns),
                       &a_scalar, a.first, size(a.leading), x, 1, &y_scalar, y, 1),
        "cublasCgemv");
  }

 private:
  static std::int64_t size(std::size_t count) { return static_cast<std::int64_t>(count); }
  static cuComplex scalar(double value) { return {static_cast<float>(value), 0}; }
  static cublasOperation_t operation(bool transposed) {
    return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  }
};

/// Solves with `multiply(x, y)`, the product with the inverse in complex single, between
/// vectors in complex double. r, z: [n]; x, y: [order]. For products in a graph, too.
template <class Multiply>
void apply_in_single(const Cublas& cublas, const DeviceBuffer<std::byte>& workspace,
                     const LdltLayout& layout, const Complex* r, Complex* z, float2* x,
                     float2* y, const DeviceStream& stream, const Multiply& multiply) {
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
