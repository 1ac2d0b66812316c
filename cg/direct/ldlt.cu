#include <cstddef>

#include "cg/direct/block_ldlt.h"
#include "cg/direct/device_factors.h"
#include "cg/direct/expand.cuh"
#include "kernels/device/libraries.cuh"
#include "kernels/device/tuning.h"

namespace thinwire {
namespace {

using namespace device;

constexpr int base = LdltLayout{}.base;  // blocks that one thread block inverts
constexpr int inversion_threads = tuning::inversion_threads;
/// For products with vectors: what cuBLAS recommends for Hopper.
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;
static_assert(base == PackedTiles::tile && tuning::ldlt_panel % base == 0 &&
              tuning::ldlt_columns % tuning::ldlt_panel == 0);

/// Inverts the symmetric base x base block in place, in double inside: Gauss-Jordan with
/// row pivoting in shared memory, which leaves the inverse in both triangles. A singular
/// block gives numbers that are not finite.
__global__ void __launch_bounds__(inversion_threads)
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

__global__ void narrow(const double2* from, float2* to, std::size_t n,
                       std::size_t padded) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < padded) store(to + i, i < n ? from[i] : double2{0, 0});
}
__global__ void widen_all(const float2* from, double2* to, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) to[i] = widen(from[i]);
}

constexpr LibraryUse use = {"direct solver", "Use an iterative solver."};

/// The arithmetic of BlockLdlt in complex single on the GPU.
struct Machine {
  const Cublas& cublas;
  const DeviceStream& stream;
  cublasComputeType_t most_work;

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
    check_cublas(use,
                 cublasCgeam_64(cublas.get(), CUBLAS_OP_T, CUBLAS_OP_N, size(columns),
                                size(rows), &one, a.first, size(a.leading), &zero,
                                to.first, size(to.leading), to.first, size(to.leading)),
                 "cublasCgeam");
  }

  void multiply(const Product& p, Block<float2> a, Block<float2> b,
                Block<float2> c) const {
    const cuComplex alpha = scalar(p.alpha), beta = scalar(p.beta);
    check_cublas(use,
                 cublasGemmEx_64(
                     cublas.get(), operation(p.transposed_a), operation(p.transposed_b),
                     size(p.rows), size(p.columns), size(p.depth), &alpha, a.first,
                     CUDA_C_32F, size(a.leading), b.first, CUDA_C_32F, size(b.leading),
                     &beta, c.first, CUDA_C_32F, size(c.leading),
                     p.most_work ? most_work : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                 "cublasGemmEx");
  }

  void multiply_vector(bool transposed, std::size_t rows, std::size_t columns,
                       double alpha, Block<float2> a, const float2* x, double beta,
                       float2* y) const {
    const cuComplex a_scalar = scalar(alpha), y_scalar = scalar(beta);
    check_cublas(
        use,
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

}  // namespace

struct DeviceLdlt::Parts {
  explicit Parts(std::size_t n, LdltProducts products)
      : layout{n},
        machine{cublas, stream,
                products == LdltProducts::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                               : CUBLAS_COMPUTE_32F},
        a(layout.entries(), what),
        w(layout.work(), what),
        x(layout.order(), what),
        y(layout.order(), what),
        workspace(workspace_bytes, what) {}

  BlockLdlt<float2, Machine> ldlt() const {
    return {layout, machine, a.data(), w.data()};
  }

  static constexpr const char* what = "LDL^T factors";
  LdltLayout layout;
  DeviceStream stream;
  Cublas cublas{stream, use};
  Machine machine;
  DeviceBuffer<float2> a, w;
  DeviceBuffer<float2> x, y;  // [order]
  DeviceBuffer<std::byte> workspace;
};

DeviceLdlt::DeviceLdlt(const DeviceTiles& z, LdltProducts products) {
  const std::size_t n = z.layout().n;
  require_device_memory(bytes(n), Parts::what, n,
                        "Use --solver cocg or --precision mixed.");
  parts_ = std::make_unique<Parts>(n, products);
  Parts& p = *parts_;
  // Products run over whole diagonal blocks; what they make of the upper triangle is not
  // used, but is to be made of numbers.
  p.a.clear(p.stream);
  expand(z, p.a.data(), p.layout, false, p.stream);
  p.ldlt().factor();
  p.stream.synchronize();
}

DeviceLdlt::~DeviceLdlt() = default;

std::size_t DeviceLdlt::size() const {
  return parts_->layout.n;
}

void DeviceLdlt::multiply(const Complex* r, Complex* z,
                          const DeviceStream& stream) const {
  Parts& p = *parts_;
  const std::size_t n = p.layout.n, order = p.layout.order();
  check_cublas(use, cublasSetStream(p.cublas.get(), stream.get()), "cublasSetStream");
  // Without a workspace of its own cuBLAS allocates while a graph is captured.
  check_cublas(
      use, cublasSetWorkspace(p.cublas.get(), p.workspace.data(), p.workspace.bytes()),
      "cublasSetWorkspace");
  narrow<<<pass_blocks(order), pass_threads, 0, stream.get()>>>(thinwire::parts(r),
                                                                p.x.data(), n, order);
  check_launch("LDL^T, narrow");
  p.ldlt().solve(p.x.data(), p.y.data());
  widen_all<<<pass_blocks(order), pass_threads, 0, stream.get()>>>(p.y.data(),
                                                                   thinwire::parts(z), n);
  check_launch("LDL^T, widen");
}

}  // namespace thinwire
