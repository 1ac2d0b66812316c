#include "cg/precondition/invert_blocks.cuh"

#include "kernels/device/check.cuh"
#include "kernels/device/tuning.h"

namespace thinwire::device {
namespace {

constexpr int panel = inversion_panel;
constexpr int threads = tuning::inversion_threads;

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

/// inverse = (block k of the diagonal)^-1 by Gauss-Jordan elimination in place with row
/// pivots, a block of threads for each matrix.
__global__ void __launch_bounds__(threads)
    invert_diagonal(InversionBatch batch, int k, float2* inverse, int* status) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& a = *reinterpret_cast<float2(*)[panel][panel + 1]>(memory);
  __shared__ float2 column[panel];
  __shared__ int pivots[panel];
  const std::size_t leading = batch.leading;
  const float2* from = batch.matrix + blockIdx.x * leading * leading + k * (leading + 1);
  for (int e = threadIdx.x; e < panel * panel; e += threads)
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
    for (int e = threadIdx.x; e < panel * panel; e += threads) {
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
  for (int e = threadIdx.x; e < panel * panel; e += threads)
    to[e] = a[e / panel][e % panel];
}

/// Moves the columns k .. k + 63 of the rows from first_row on to `columns`, [row][64],
/// and leaves zeros; where the pivots' own rows are among them, they become zero, and
/// their part of `columns` minus one times the identity. The pivots' part of `factor`
/// becomes their inverse. Rows are those of the batch's symmetric layout, so that each is
/// one piece of memory.
__global__ void __launch_bounds__(threads)
    take_columns(InversionBatch batch, int k, int first_row, const float2* inverse,
                 float2* factor, float2* columns) {
  constexpr int rows_at_once = threads / panel;
  const std::size_t leading = batch.leading, b = blockIdx.y;
  float2* a = batch.matrix + b * leading * leading;
  columns += b * leading * panel;
  const int i = threadIdx.x % panel;
  const int row = first_row + static_cast<int>(blockIdx.x) * rows_at_once +
                  static_cast<int>(threadIdx.x) / panel;
  if (blockIdx.x == 0)
    for (int e = threadIdx.x; e < panel * panel; e += threads)
      factor[b * leading * panel + e / panel * leading + k + e % panel] =
          inverse[b * (panel * panel) + e];
  if (row >= static_cast<int>(leading)) return;
  float2* of_row = a + row * leading;
  if (row >= k && row < k + panel) {
    columns[row * panel + i] = {row - k == i ? -1.0f : 0.0f, 0};
    for (std::size_t j = i; j < leading; j += panel) of_row[j] = {0, 0};
  } else {
    columns[row * panel + i] = of_row[k + i];
    of_row[k + i] = {0, 0};
  }
}

}  // namespace

/// Block Gauss-Jordan elimination in place, without pivots between panels of 64: on
/// plates with cells of 0.1, 0.02 and 0.005 wavelengths GMRES takes 32, 31 and 22
/// iterations, by LU with pivots 32, 29 and 22 (boxes of 8 cells, overlap 2). With
/// products in TF32 it would be 32, 46 and none. For each panel k, D its block on the
/// diagonal:
///
///     factor = D^-1 A[k, :]           D^-1 itself in the panel's own columns
///     A[i, :] -= A[i, k] factor       A[i, k] set to zero before
///     A[k, :] = factor
///
/// Rows that are dropped are pivots first, and left as they are from then on: with h of m
/// rows dropped, 8 m (h m - h^2 / 2 + (m - h)^2) flop instead of 8 m^3.
void invert_blocks(const InversionBatch& batch, std::byte* scratch, int* status,
                   const Cublas& cublas, const LibraryUse& use,
                   const DeviceStream& stream) {
  const auto count = static_cast<int>(batch.count),
             leading = static_cast<int>(batch.leading),
             dropped = static_cast<int>(batch.dropped);
  const long long matrix_step = static_cast<long long>(batch.leading * batch.leading),
                  panel_step = static_cast<long long>(batch.leading) * panel,
                  block_step = panel * panel;
  auto* factor = reinterpret_cast<float2*>(scratch);
  float2* columns = factor + batch.count * batch.leading * panel;
  float2* inverse = columns + batch.count * batch.leading * panel;
  const auto multiply = [&](const float2* b, int ld_b, long long b_step, const float2* a,
                            int ld_a, long long a_step, cuComplex alpha, cuComplex beta,
                            float2* c, int rows, long long c_step) {
    check_cublas(use,
                 cublasCgemmStridedBatched(
                     cublas.get(), CUBLAS_OP_N, CUBLAS_OP_N, leading, rows, panel, &alpha,
                     b, ld_b, b_step, a, ld_a, a_step, &beta, c, leading, c_step, count),
                 "cublasCgemmStridedBatched");
  };
  constexpr int shared_bytes = panel * (panel + 1) * sizeof(float2);
  for (int k = 0; k < leading; k += panel) {
    const int first_row = k < dropped ? k + panel : dropped;
    invert_diagonal<<<static_cast<unsigned>(count), threads, shared_bytes,
                      stream.get()>>>(batch, k, inverse, status);
    check_launch("overlapping blocks, pivots");
    // cuBLAS is column-major: rows here are its columns, and products stand in reverse.
    multiply(batch.matrix + std::size_t{static_cast<unsigned>(k)} * batch.leading,
             leading, matrix_step, inverse, panel, block_step, {1, 0}, {0, 0}, factor,
             panel, panel_step);
    const int rows = leading - first_row;
    constexpr int rows_at_once = threads / panel;
    if (rows == 0) continue;
    take_columns<<<dim3(static_cast<unsigned>((rows + rows_at_once - 1) / rows_at_once),
                        static_cast<unsigned>(count)),
                   threads, 0, stream.get()>>>(batch, k, first_row, inverse, factor,
                                               columns);
    check_launch("overlapping blocks, columns");
    multiply(factor, leading, panel_step, columns + std::size_t{panel} * first_row, panel,
             panel_step, {-1, 0}, {1, 0},
             batch.matrix + batch.leading * static_cast<std::size_t>(first_row), rows,
             matrix_step);
  }
}

}  // namespace thinwire::device
