#include "cg/precondition/invert_blocks.cuh"

#include <algorithm>

#include "kernels/device/check.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/tuning.h"

namespace thinwire::device {
namespace {

constexpr int panel = inversion_panel;
constexpr int panel_threads = tuning::inversion_threads;
/// Shared memory of invert_diagonal.
template <class Entry>
constexpr std::size_t panel_bytes = panel*(panel + 1) * sizeof(Entry);
/// Matrices that take longer than a tenth of a second.
constexpr std::size_t elimination_waits_from = 4096;

/// sum -= a b
template <class Entry>
__device__ void subtract_product(Entry& sum, Entry a, Entry b) {
  sum.x = fma(-a.x, b.x, fma(a.y, b.y, sum.x));
  sum.y = fma(-a.x, b.y, fma(-a.y, b.x, sum.y));
}
template <class Entry>
__device__ Entry product(Entry a, Entry b) {
  Entry sum = {0, 0};
  subtract_product(sum, Entry{-a.x, -a.y}, b);
  return sum;
}

/// The row at or below k with the largest entry in column k, by one warp; the lowest of
/// equals. A number that is none wins.
template <class Entry>
__device__ int find_pivot(const Entry (&a)[panel][panel + 1], int k) {
  decltype(Entry::x) best = -1;
  int row = k;
  for (int i = k + static_cast<int>(threadIdx.x); i < panel; i += 32) {
    const auto size = a[i][k].x * a[i][k].x + a[i][k].y * a[i][k].y;
    if (!(size <= best)) {
      best = size;
      row = i;
    }
  }
  for (int bit = 16; bit > 0; bit /= 2) {
    const auto other = __shfl_xor_sync(0xffffffffu, best, bit);
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
template <class Entry>
__global__ void __launch_bounds__(panel_threads)
    invert_diagonal(InversionBatch<Entry> batch, int k, Entry* inverse, int* status) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& a = *reinterpret_cast<Entry(*)[panel][panel + 1]>(memory);
  __shared__ Entry column[panel];
  __shared__ int pivots[panel];
  const std::size_t leading = batch.leading;
  const Entry* from = batch.matrix + blockIdx.x * leading * leading + k * (leading + 1);
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
    const Entry pivot = a[q][p];
    const auto size = pivot.x * pivot.x + pivot.y * pivot.y;
    __syncthreads();  // before the row moves
    if (!(size > 0) || !isfinite(size)) {
      if (threadIdx.x == 0) status[blockIdx.x] = 1;
      return;
    }
    const Entry reciprocal = {pivot.x / size, -pivot.y / size};
    if (threadIdx.x < panel) {
      const int j = threadIdx.x;
      const Entry of_pivot = a[q][j];
      a[q][j] = a[p][j];
      a[p][j] = j == p ? reciprocal : product(reciprocal, of_pivot);
    }
    __syncthreads();
    if (threadIdx.x < panel) column[threadIdx.x] = a[threadIdx.x][p];
    __syncthreads();
    for (int e = threadIdx.x; e < panel * panel; e += panel_threads) {
      const int i = e / panel, j = e % panel;
      if (i == p) continue;
      Entry value = j == p ? Entry{0, 0} : a[i][j];
      subtract_product(value, column[i], a[p][j]);
      a[i][j] = value;
    }
    __syncthreads();
  }
  // Row swaps of the matrix are column swaps of its inverse, in the reverse order.
  for (int p = panel; p-- > 0;) {
    const int q = pivots[p];
    if (q != p && threadIdx.x < panel) {
      const Entry kept = a[threadIdx.x][p];
      a[threadIdx.x][p] = a[threadIdx.x][q];
      a[threadIdx.x][q] = kept;
    }
    __syncthreads();
  }
  Entry* to = inverse + blockIdx.x * (panel * panel);
  for (int e = threadIdx.x; e < panel * panel; e += panel_threads)
    to[e] = a[e / panel][e % panel];
}

/// block = the part of the diagonal at k, `width` wide.
template <class Entry>
__global__ void __launch_bounds__(panel_threads)
    copy_diagonal(InversionBatch<Entry> batch, int k, int width, Entry* block) {
  const std::size_t leading = batch.leading, b = blockIdx.y, row = blockIdx.x;
  const Entry* from = batch.matrix + (b * leading + k + row) * leading + k;
  Entry* to = block + (b * width + row) * width;
  for (int i = threadIdx.x; i < width; i += panel_threads) to[i] = from[i];
}

/// Moves `width` columns from k on of the rows from first_row on to `columns`,
/// [row][width], and leaves zeros; where the pivots' own rows are among them, they become
/// zero, and their part of `columns` minus one times the identity. The pivots' part of
/// `factor`, [width][leading], becomes their inverse, [width][width]. Rows are those of
/// the batch's symmetric layout, so that each is one piece of memory.
template <class Entry>
__global__ void __launch_bounds__(panel_threads)
    take_columns(InversionBatch<Entry> batch, int k, int width, int first_row,
                 const Entry* inverse, Entry* factor, Entry* columns) {
  constexpr int rows_at_once = panel_threads / panel;
  using Real = decltype(Entry::x);
  const std::size_t leading = batch.leading, b = blockIdx.y;
  Entry* a = batch.matrix + b * leading * leading;
  columns += b * leading * width;
  for (int p = blockIdx.x; p < width; p += gridDim.x)
    for (int i = threadIdx.x; i < width; i += panel_threads)
      factor[(b * width + p) * leading + k + i] = inverse[(b * width + p) * width + i];
  const int lane = threadIdx.x % panel;
  const int row = first_row + static_cast<int>(blockIdx.x) * rows_at_once +
                  static_cast<int>(threadIdx.x) / panel;
  if (row >= static_cast<int>(leading)) return;
  Entry* of_row = a + row * leading;
  const bool of_pivot = row >= k && row < k + width;
  for (int i = lane; i < width; i += panel) {
    Entry& column = columns[static_cast<std::size_t>(row) * width + i];
    column = of_pivot ? Entry{row - k == i ? Real{-1} : Real{0}, 0} : of_row[k + i];
    if (!of_pivot) of_row[k + i] = {0, 0};
  }
  if (of_pivot)
    for (std::size_t j = lane; j < leading; j += panel) of_row[j] = {0, 0};
}

/// Workspace of invert_blocks beside the batch, used by one step after another.
template <class Entry>
class Elimination {
 public:
  Elimination(const InversionBatch<Entry>& batch, std::size_t width, std::byte* scratch,
              int* status, const Cublas& cublas, const LibraryUse& use,
              const Monitor& monitor, const DeviceStream& stream)
      : batch_(batch),
        status_(status),
        cublas_(cublas),
        use_(use),
        monitor_(monitor),
        stream_(stream),
        factor_(reinterpret_cast<Entry*>(scratch)),
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
    const auto count = static_cast<unsigned>(batch_.count);
    if (width == panel) {
      invert_diagonal<<<count, panel_threads, panel_bytes<Entry>, stream_.get()>>>(
          batch_, k, inverse_, status_);
      check_launch("inversion, pivots");
      return;
    }
    copy_diagonal<<<dim3(static_cast<unsigned>(width), count), panel_threads, 0,
                    stream_.get()>>>(batch_, k, width, inverse_);
    check_launch("inversion, diagonal");
    const InversionBatch<Entry> pivots = {batch_.count, static_cast<std::size_t>(width),
                                          0, inverse_};
    const Elimination by_panels(pivots, inversion_panel, rest_, status_, cublas_, use_,
                                monitor_, stream_);
    for (int p = 0; p < width; p += panel) by_panels.step(p, panel, 0);
  }

  /// c = beta c + alpha a b for each matrix: b [inner][leading], a [rows][inner].
  void multiply(const Entry* b, std::size_t b_step, const Entry* a, int inner,
                std::size_t a_step, Entry alpha, Entry beta, Entry* c, int rows,
                std::size_t c_step) const {
    constexpr bool single = sizeof(Entry) == sizeof(float2);
    constexpr cudaDataType type = single ? CUDA_C_32F : CUDA_C_64F;
    const auto leading = static_cast<int>(batch_.leading);
    check_cublas(
        use_,
        cublasGemmStridedBatchedEx(
            cublas_.get(), CUBLAS_OP_N, CUBLAS_OP_N, leading, rows, inner, &alpha, b,
            type, leading, static_cast<long long>(b_step), a, type, inner,
            static_cast<long long>(a_step), &beta, c, type, leading,
            static_cast<long long>(c_step), static_cast<int>(batch_.count),
            single ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
  }

  InversionBatch<Entry> batch_;
  int* status_;
  const Cublas& cublas_;
  const LibraryUse& use_;
  const Monitor& monitor_;
  const DeviceStream& stream_;
  Entry *factor_, *columns_, *inverse_;
  std::byte* rest_;
};

}  // namespace

/// Block Gauss-Jordan elimination in place, without pivots between panels of 64, which
/// costs digits. In boxes of 16 cells of 0.02 wavelengths single precision has too few
/// left: a closed hull of 98,880 segments takes 31 iterations with it and 20 with double
/// (20 on the CPU by LU in single with pivots, too). For each step, D being the block on
/// the diagonal from k on, which is inverted by the same in panels:
///
///     factor = D^-1 A[k, :]           D^-1 itself in the step's own columns
///     A[i, :] -= A[i, k] factor       A[i, k] set to zero before
///     A[k, :] = factor
///
/// Rows that are dropped are pivots first, and left as they are from then on: with h of m
/// rows dropped, 8 m (h m - h^2 / 2 + (m - h)^2) flop instead of 8 m^3.
template <class Entry>
void invert_blocks(const InversionBatch<Entry>& batch, std::byte* scratch, int* status,
                   const Cublas& cublas, const LibraryUse& use, const Monitor& monitor,
                   const DeviceStream& stream) {
  allow_shared(invert_diagonal<Entry>, panel_bytes<Entry>, "inversion, pivots");
  const std::size_t width = elimination_width(batch.leading);
  const Elimination<Entry> elimination(batch, width, scratch, status, cublas, use,
                                       monitor, stream);
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

template void invert_blocks(const InversionBatch<float2>&, std::byte*, int*,
                            const Cublas&, const LibraryUse&, const Monitor&,
                            const DeviceStream&);
template void invert_blocks(const InversionBatch<double2>&, std::byte*, int*,
                            const Cublas&, const LibraryUse&, const Monitor&,
                            const DeviceStream&);

}  // namespace thinwire::device
