#include "cg/precondition/invert_blocks.cuh"

#include <algorithm>

#include "kernels/device/check.cuh"
#include "kernels/device/tuning.h"

namespace thinwire::device {
namespace {

constexpr int panel = inversion_panel;
constexpr int panel_threads = tuning::inversion_threads;
/// Matrices that take longer than a tenth of a second.
constexpr std::size_t elimination_waits_from = 4096;

/// sum -= a b
__device__ void subtract_product(float2& sum, float2 a, float2 b) {
  sum.x = fmaf(-a.x, b.x, fmaf(a.y, b.y, sum.x));
  sum.y = fmaf(-a.x, b.y, fmaf(-a.y, b.x, sum.y));
}
__device__ float2 product(float2 a, float2 b) {
  float2 sum = {0, 0};
  subtract_product(sum, {-a.x, -a.y}, b);
  return sum;
}

/// The row at or below k with the largest entry in column k, by one warp; the lowest of
/// equals. A number that is none wins.
__device__ int find_pivot(const float2 (&a)[panel][panel + 1], int k) {
  float best = -1;
  int row = k;
  for (int i = k + static_cast<int>(threadIdx.x); i < panel; i += 32) {
    const float size = a[i][k].x * a[i][k].x + a[i][k].y * a[i][k].y;
    if (!(size <= best)) {
      best = size;
      row = i;
    }
  }
  for (int bit = 16; bit > 0; bit /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, best, bit);
    const int other_row = __shfl_xor_sync(0xffffffffu, row, bit);
    const bool here = !(best <= other), there = !(other <= best);
    if ((there && !here) || (here == there && other_row < row)) {
      best = other;
      row = other_row;
    }
  }
  return row;
}

/// inverse = (the 64 x 64 block of the diagonal at k)^-1 by Gauss-Jordan elimination in
/// place with row pivots, a block of threads for each matrix.
__global__ void __launch_bounds__(panel_threads)
    invert_diagonal(InversionBatch batch, int k, float2* inverse, int* status) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& a = *reinterpret_cast<float2(*)[panel][panel + 1]>(memory);
  __shared__ float2 column[panel];
  __shared__ int pivots[panel];
  const std::size_t leading = batch.leading;
  const float2* from = batch.matrix + blockIdx.x * leading * leading + k * (leading + 1);
  for (int e = threadIdx.x; e < panel * panel; e += panel_threads)
    a[e / panel][e % panel] = from[e / panel * leading + e % panel];
  __syncthreads();
  for (int p = 0; p < panel; ++p) {
    if (threadIdx.x < 32) {
      const int row = find_pivot(a, p);
      if (threadIdx.x == 0) pivots[p] = row;
    }
    __syncthreads();
    const int q = pivots[p];
    const float2 pivot = a[q][p];
    const float size = pivot.x * pivot.x + pivot.y * pivot.y;
    __syncthreads();  // before the row moves
    if (!(size > 0) || !isfinite(size)) {
      if (threadIdx.x == 0) status[blockIdx.x] = 1;
      return;
    }
    const float2 reciprocal = {pivot.x / size, -pivot.y / size};
    if (threadIdx.x < panel) {
      const int j = threadIdx.x;
      const float2 of_pivot = a[q][j];
      a[q][j] = a[p][j];
      a[p][j] = j == p ? reciprocal : product(reciprocal, of_pivot);
    }
    __syncthreads();
    if (threadIdx.x < panel) column[threadIdx.x] = a[threadIdx.x][p];
    __syncthreads();
    for (int e = threadIdx.x; e < panel * panel; e += panel_threads) {
      const int i = e / panel, j = e % panel;
      if (i == p) continue;
      float2 value = j == p ? float2{0, 0} : a[i][j];
      subtract_product(value, column[i], a[p][j]);
      a[i][j] = value;
    }
    __syncthreads();
  }
  // Row swaps of the matrix are column swaps of its inverse, in the reverse order.
  for (int p = panel; p-- > 0;) {
    const int q = pivots[p];
    if (q != p && threadIdx.x < panel) {
      const float2 kept = a[threadIdx.x][p];
      a[threadIdx.x][p] = a[threadIdx.x][q];
      a[threadIdx.x][q] = kept;
    }
    __syncthreads();
  }
  float2* to = inverse + blockIdx.x * (panel * panel);
  for (int e = threadIdx.x; e < panel * panel; e += panel_threads)
    to[e] = a[e / panel][e % panel];
}

/// block = the part of the diagonal at k, `width` wide.
__global__ void __launch_bounds__(panel_threads)
    copy_diagonal(InversionBatch batch, int k, int width, float2* block) {
  const std::size_t leading = batch.leading, b = blockIdx.y, row = blockIdx.x;
  const float2* from = batch.matrix + (b * leading + k + row) * leading + k;
  float2* to = block + (b * width + row) * width;
  for (int i = threadIdx.x; i < width; i += panel_threads) to[i] = from[i];
}

/// Moves `width` columns from k on of the rows from first_row on to `columns`,
/// [row][width], and leaves zeros; where the pivots' own rows are among them, they become
/// zero, and their part of `columns` minus one times the identity. The pivots' part of
/// `factor`, [width][leading], becomes their inverse, [width][width]. Rows are those of
/// the batch's symmetric layout, so that each is one piece of memory.
__global__ void __launch_bounds__(panel_threads)
    take_columns(InversionBatch batch, int k, int width, int first_row,
                 const float2* inverse, float2* factor, float2* columns) {
  constexpr int rows_at_once = panel_threads / panel;
  const std::size_t leading = batch.leading, b = blockIdx.y;
  float2* a = batch.matrix + b * leading * leading;
  columns += b * leading * width;
  for (int p = blockIdx.x; p < width; p += gridDim.x)
    for (int i = threadIdx.x; i < width; i += panel_threads)
      factor[(b * width + p) * leading + k + i] = inverse[(b * width + p) * width + i];
  const int lane = threadIdx.x % panel;
  const int row = first_row + static_cast<int>(blockIdx.x) * rows_at_once +
                  static_cast<int>(threadIdx.x) / panel;
  if (row >= static_cast<int>(leading)) return;
  float2* of_row = a + row * leading;
  const bool of_pivot = row >= k && row < k + width;
  for (int i = lane; i < width; i += panel) {
    float2& column = columns[static_cast<std::size_t>(row) * width + i];
    column = of_pivot ? float2{row - k == i ? -1.0f : 0.0f, 0} : of_row[k + i];
    if (!of_pivot) of_row[k + i] = {0, 0};
  }
  if (of_pivot)
    for (std::size_t j = lane; j < leading; j += panel) of_row[j] = {0, 0};
}

/// Workspace of invert_blocks beside the batch, used by one step after another.
class Elimination {
 public:
  Elimination(const InversionBatch& batch, std::size_t width, std::byte* scratch,
              int* status, const Cublas& cublas, const LibraryUse& use,
              const Monitor& monitor, const DeviceStream& stream)
      : batch_(batch),
        status_(status),
        cublas_(cublas),
        use_(use),
        monitor_(monitor),
        stream_(stream),
        factor_(reinterpret_cast<float2*>(scratch)),
        columns_(factor_ + batch.count * batch.leading * width),
        inverse_(columns_ + batch.count * batch.leading * width),
        rest_(reinterpret_cast<std::byte*>(inverse_ + batch.count * width * width)) {}

  /// Eliminates `width` columns from k on, in the rows from first_row on.
  void step(int k, int width, int first_row) const {
    const auto leading = static_cast<int>(batch_.leading);
    const std::size_t wide = static_cast<std::size_t>(width);
    invert_pivots(k, width);
    // factor = D^-1 A[k, :]. cuBLAS is column-major: rows here are its columns, and
    // products stand in reverse.
    multiply(batch_.matrix + std::size_t(k) * batch_.leading,
             batch_.leading * batch_.leading, inverse_, width, wide * wide, {1, 0},
             {0, 0}, factor_, width, wide * batch_.leading);
    const int rows = leading - first_row;
    if (rows == 0) return;
    constexpr int rows_at_once = panel_threads / panel;
    take_columns<<<dim3(static_cast<unsigned>((rows + rows_at_once - 1) / rows_at_once),
                        static_cast<unsigned>(batch_.count)),
                   panel_threads, 0, stream_.get()>>>(batch_, k, width, first_row,
                                                      inverse_, factor_, columns_);
    check_launch("inversion, columns");
    multiply(factor_, wide * batch_.leading, columns_ + wide * std::size_t(first_row),
             width, wide * batch_.leading, {-1, 0}, {1, 0},
             batch_.matrix + batch_.leading * std::size_t(first_row), rows,
             batch_.leading * batch_.leading);
  }

 private:
  void invert_pivots(int k, int width) const {
    constexpr int shared_bytes = panel * (panel + 1) * sizeof(float2);
    const auto count = static_cast<unsigned>(batch_.count);
    if (width == panel) {
      invert_diagonal<<<count, panel_threads, shared_bytes, stream_.get()>>>(
          batch_, k, inverse_, status_);
      check_launch("inversion, pivots");
      return;
    }
    copy_diagonal<<<dim3(static_cast<unsigned>(width), count), panel_threads, 0,
                    stream_.get()>>>(batch_, k, width, inverse_);
    check_launch("inversion, diagonal");
    const InversionBatch pivots = {batch_.count, static_cast<std::size_t>(width), 0,
                                   inverse_};
    const Elimination by_panels(pivots, inversion_panel, rest_, status_, cublas_, use_,
                                monitor_, stream_);
    for (int p = 0; p < width; p += panel) by_panels.step(p, panel, 0);
  }

  /// c = beta c + alpha a b for each matrix: b [inner][leading], a [rows][inner].
  void multiply(const float2* b, std::size_t b_step, const float2* a, int inner,
                std::size_t a_step, cuComplex alpha, cuComplex beta, float2* c, int rows,
                std::size_t c_step) const {
    const auto leading = static_cast<int>(batch_.leading);
    check_cublas(use_,
                 cublasCgemmStridedBatched(
                     cublas_.get(), CUBLAS_OP_N, CUBLAS_OP_N, leading, rows, inner,
                     &alpha, b, leading, static_cast<long long>(b_step), a, inner,
                     static_cast<long long>(a_step), &beta, c, leading,
                     static_cast<long long>(c_step), static_cast<int>(batch_.count)),
                 "cublasCgemmStridedBatched");
  }

  InversionBatch batch_;
  int* status_;
  const Cublas& cublas_;
  const LibraryUse& use_;
  const Monitor& monitor_;
  const DeviceStream& stream_;
  float2 *factor_, *columns_, *inverse_;
  std::byte* rest_;
};

}  // namespace

/// Block Gauss-Jordan elimination in place, without pivots between panels of 64: on
/// plates with cells of 0.1, 0.02 and 0.005 wavelengths GMRES takes 32, 31 and 22
/// iterations, by LU with pivots 32, 29 and 22 (boxes of 8 cells, overlap 2). With
/// products in TF32 it would be 32, 46 and none. For each step, D being the block on the
/// diagonal from k on, which is inverted by the same in panels:
///
///     factor = D^-1 A[k, :]           D^-1 itself in the step's own columns
///     A[i, :] -= A[i, k] factor       A[i, k] set to zero before
///     A[k, :] = factor
///
/// Rows that are dropped are pivots first, and left as they are from then on: with h of m
/// rows dropped, 8 m (h m - h^2 / 2 + (m - h)^2) flop instead of 8 m^3.
void invert_blocks(const InversionBatch& batch, std::byte* scratch, int* status,
                   const Cublas& cublas, const LibraryUse& use, const Monitor& monitor,
                   const DeviceStream& stream) {
  const std::size_t width = elimination_width(batch.leading);
  const Elimination elimination(batch, width, scratch, status, cublas, use, monitor,
                                stream);
  for (std::size_t k = 0; k < batch.leading;) {
    monitor.check();
    // No step has rows of both kinds.
    const std::size_t end = k < batch.dropped ? batch.dropped : batch.leading,
                      next = std::min(k + width, end);
    elimination.step(static_cast<int>(k), static_cast<int>(next - k),
                     static_cast<int>(k < batch.dropped ? next : batch.dropped));
    // The host may not run ahead of what it is asked to stop.
    if (batch.leading >= elimination_waits_from) stream.synchronize();
    k = next;
  }
}

}  // namespace thinwire::device
