#include <algorithm>
#include <vector>

#include "cg/device_direct.h"
#include "cg/device_expand.cuh"
#include "cg/device_libraries.cuh"
#include "kernels/tuning.h"

namespace thinwire {
namespace {

using namespace device;

// Blocked Z = L D L^T. In place in the lower triangle, block column by block column:
//
//     before step k          after                     X_k = A_kk^-1 (explicit,
//     symmetric) [X_0            ]      [X_0            ]         W   = A_ik i > k [L
//     A_kk       ]      [L   X_k        ]         L   = W X_k [L   A_ik  A_ij ]      [L
//     L    A_ij -= L W^T ] on the lower triangle, TF32
//
// The last line is all of the work: 4/3 n^3 complex multiply-adds as matrix products.

constexpr int base = 64;  // blocks that one thread block inverts

/// Inverts the symmetric base x base block in place, in double inside: Gauss-Jordan with
/// row pivoting in shared memory, which leaves the inverse in both triangles. A singular
/// block gives numbers that are not finite.
__global__ void __launch_bounds__(256) invert_base(float2* a, std::size_t leading) {
  __shared__ float2 m[base][base + 1];
  __shared__ double2 row[base], column[base];
  __shared__ int pivots[base];
  const int t = threadIdx.x;
  for (int e = t; e < base * base; e += 256) {
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
    for (int e = t; e < base * base; e += 256) {
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
  for (int e = t; e < base * base; e += 256) {
    const int i = e % base, j = e / base;
    a[j * leading + i] = {0.5f * (m[i][j].x + m[j][i].x), 0.5f * (m[i][j].y + m[j][i].y)};
  }
}

/// a[j + i leading] = a[i + j leading] for i > j: the upper triangle from the lower.
__global__ void mirror(float2* a, int size, std::size_t leading) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i < size && i > j) a[i * leading + j] = a[j * leading + i];
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

constexpr std::size_t panel = tuning::ldlt_panel;
static_assert(panel % base == 0 && (panel / base & (panel / base - 1)) == 0);

std::size_t padded_order(std::size_t n) {
  return (n + panel - 1) / panel * panel;
}

}  // namespace

struct DeviceLdlt::Parts {
  std::size_t n = 0, order = 0;  // order: padded
  DeviceStream stream;
  Cublas cublas{stream};
  DeviceBuffer<float2> a;     // [order * order], column-major
  DeviceBuffer<float2> w;     // [order * panel], or work for the inversion
  DeviceBuffer<float2> x, y;  // [order]
  DeviceBuffer<Complex> v;    // [n]

  float2* at(std::size_t i, std::size_t j) const { return a.data() + j * order + i; }

  /// c = alpha a b + beta c, op_b on b; all column-major.
  void multiply(cublasOperation_t op_a, cublasOperation_t op_b, std::size_t rows,
                std::size_t columns, std::size_t depth, float alpha, const float2* left,
                std::size_t left_leading, const float2* right, std::size_t right_leading,
                float beta, float2* to, std::size_t to_leading, bool tensor) const {
    const float2 one = {alpha, 0}, keep = {beta, 0};
    check_cublas(cublasGemmEx_64(
                     cublas.get(), op_a, op_b, static_cast<std::int64_t>(rows),
                     static_cast<std::int64_t>(columns), static_cast<std::int64_t>(depth),
                     &one, left, CUDA_C_32F, static_cast<std::int64_t>(left_leading),
                     right, CUDA_C_32F, static_cast<std::int64_t>(right_leading), &keep,
                     to, CUDA_C_32F, static_cast<std::int64_t>(to_leading),
                     tensor ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
                     CUBLAS_GEMM_DEFAULT),
                 "cublasGemmEx");
  }

  void invert(float2* block, std::size_t size) const;
  void factor() const;
  void gemv(cublasOperation_t op, std::size_t rows, std::size_t columns, float alpha,
            const float2* matrix, const float2* from, float beta, float2* to) const {
    const cuComplex one = {alpha, 0}, keep = {beta, 0};
    check_cublas(cublasCgemv_64(cublas.get(), op, static_cast<std::int64_t>(rows),
                                static_cast<std::int64_t>(columns), &one,
                                reinterpret_cast<const cuComplex*>(matrix),
                                static_cast<std::int64_t>(order),
                                reinterpret_cast<const cuComplex*>(from), 1, &keep,
                                reinterpret_cast<cuComplex*>(to), 1),
                 "cublasCgemv");
  }
};

/// Replaces the symmetric block (its lower triangle is read) by its inverse, in both
/// triangles, halving it: with T = A21 X11, S = A22 - T A21^T,
///   X22 = S^-1, X21 = -X22 T, X11 += T^T X22 T.
void DeviceLdlt::Parts::invert(float2* block, std::size_t size) const {
  if (size == base) {
    invert_base<<<1, 256, 0, stream.get()>>>(block, order);
    check_launch("LDL^T, inversion");
    return;
  }
  const std::size_t h = size / 2;
  float2 *a21 = block + h, *a22 = block + h * order + h, *a12 = block + h * order;
  float2* t = w.data() + 2 * size * size;  // below it is room for the halves
  invert(block, h);
  multiply(CUBLAS_OP_N, CUBLAS_OP_N, h, h, h, 1, a21, order, block, order, 0, t, h,
           false);
  multiply(CUBLAS_OP_N, CUBLAS_OP_T, h, h, h, -1, t, h, a21, order, 1, a22, order, false);
  invert(a22, h);
  multiply(CUBLAS_OP_N, CUBLAS_OP_N, h, h, h, -1, a22, order, t, h, 0, a21, order, false);
  multiply(CUBLAS_OP_T, CUBLAS_OP_N, h, h, h, -1, t, h, a21, order, 1, block, order,
           false);
  // A12 = A21^T
  const cuComplex one = {1, 0}, zero = {0, 0};
  check_cublas(
      cublasCgeam(cublas.get(), CUBLAS_OP_T, CUBLAS_OP_N, static_cast<int>(h),
                  static_cast<int>(h), &one, reinterpret_cast<const cuComplex*>(a21),
                  static_cast<int>(order), &zero, reinterpret_cast<const cuComplex*>(a12),
                  static_cast<int>(order), reinterpret_cast<cuComplex*>(a12),
                  static_cast<int>(order)),
      "cublasCgeam");
}

void DeviceLdlt::Parts::factor() const {
  for (std::size_t k = 0; k < order; k += panel) {
    const dim3 grid(static_cast<unsigned>((panel + 255) / 256),
                    static_cast<unsigned>(panel));
    mirror<<<grid, 256, 0, stream.get()>>>(at(k, k), static_cast<int>(panel), order);
    check_launch("LDL^T, mirror");
    invert(at(k, k), panel);
    const std::size_t next = k + panel, rows = order - next;
    if (rows == 0) break;
    check_cuda(cudaMemcpy2DAsync(w.data(), rows * sizeof(float2), at(next, k),
                                 order * sizeof(float2), rows * sizeof(float2), panel,
                                 cudaMemcpyDeviceToDevice, stream.get()),
               "LDL^T, panel", "cudaMemcpy2DAsync");
    multiply(CUBLAS_OP_N, CUBLAS_OP_N, rows, panel, panel, 1, w.data(), rows, at(k, k),
             order, 0, at(next, k), order, true);
    for (std::size_t j = next; j < order; j += tuning::ldlt_columns) {
      const std::size_t columns = std::min<std::size_t>(tuning::ldlt_columns, order - j);
      multiply(CUBLAS_OP_N, CUBLAS_OP_T, order - j, columns, panel, -1, at(j, k), order,
               w.data() + (j - next), rows, 1, at(j, j), order, true);
    }
  }
}

DeviceLdlt::DeviceLdlt(const DeviceTiles& z) : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  const char* what = "LDL^T factors";
  p.n = z.layout().n;
  p.order = padded_order(p.n);
  require_device_memory(bytes(p.n), what, p.n, "Use an iterative solver.");
  p.a = {p.order * p.order, what};
  // The inversion of a block halves its way through 2 panel^2 + panel^2 + ... entries.
  p.w = {std::max(p.order * panel, 4 * panel * panel), what};
  p.x = {p.order, what};
  p.y = {p.order, what};
  p.v = {p.n, what};
  // Products run over whole diagonal blocks; what they make of the upper triangle is not
  // used, but is to be made of numbers.
  p.a.clear(p.stream);
  expand(z, p.a.data(), p.order, false, p.stream);
  p.factor();
  p.stream.synchronize();
}

DeviceLdlt::~DeviceLdlt() = default;

std::size_t DeviceLdlt::size() const {
  return parts_->n;
}

std::size_t DeviceLdlt::bytes(std::size_t n) {
  const std::size_t order = padded_order(n);
  return 8 * (order * order + std::max(order * panel, 4 * panel * panel) + 4 * order);
}

void DeviceLdlt::apply(std::span<const Complex> r, std::span<Complex> z) const {
  Parts& p = *parts_;
  p.v.upload(r, p.stream);
  const auto blocks = static_cast<unsigned>((p.order + 255) / 256);
  narrow<<<blocks, 256, 0, p.stream.get()>>>(thinwire::parts(p.v.data()), p.x.data(), p.n,
                                             p.order);
  check_launch("LDL^T, narrow");
  // L u = r, u in x; y = D^-1 u
  for (std::size_t k = 0; k < p.order; k += panel) {
    const std::size_t next = k + panel;
    p.gemv(CUBLAS_OP_N, panel, panel, 1, p.at(k, k), p.x.data() + k, 0, p.y.data() + k);
    if (next < p.order)
      p.gemv(CUBLAS_OP_N, p.order - next, panel, -1, p.at(next, k), p.x.data() + k, 1,
             p.x.data() + next);
  }
  // L^T z = y
  for (std::size_t k = p.order - panel; k > 0;) {
    k -= panel;
    const std::size_t next = k + panel;
    p.gemv(CUBLAS_OP_T, p.order - next, panel, -1, p.at(next, k), p.y.data() + next, 1,
           p.y.data() + k);
  }
  widen_all<<<blocks, 256, 0, p.stream.get()>>>(p.y.data(), thinwire::parts(p.v.data()),
                                                p.n);
  check_launch("LDL^T, widen");
  p.v.download(z, p.stream);
}

}  // namespace thinwire
