#include "cg/direct/batched_ldlt.h"

#include <string>

#include "kernels/base/error.h"
#include "kernels/device/complex.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/device/sums.cuh"

namespace thinwire {
namespace {

using namespace device;

constexpr int batch_threads = tuning::batch_ldlt_threads;
constexpr int batch_warps = batch_threads / 32;
/// Update: edge of a tile, threads along it, rows and columns of the tile for each
/// thread.
constexpr int update_tile = 64, side_threads = 16, each = update_tile / side_threads;
static_assert(batch_threads == side_threads * side_threads);
/// Columns that the back substitution takes at a time, a lane each.
constexpr int back_columns = 32;

/// LdltBatch as kernels take it.
struct LdltView {
  const BatchedMatrix* matrices;
  double2* z;
  const double2* v;
  double2 *x, *diagonal;
  double* relative_residual;
  EliminationReport* reports;

  explicit LdltView(const LdltBatch& b)
      : matrices(b.matrices),
        z(parts(b.z)),
        v(parts(b.v)),
        x(parts(b.x)),
        diagonal(parts(b.diagonal)),
        relative_residual(b.relative_residual),
        reports(b.reports) {}
};

/// One matrix with its right-hand sides as further rows below it: elimination then takes
/// them along, and leaves (D^-1 L^-1 v)^T in their place.
struct StoredRows {
  double2 *z, *x;
  int n, count;  // of rows, right-hand sides included

  __device__ double2& at(int i, int j) const {
    return i < n ? z[std::size_t{static_cast<unsigned>(j)} * n + i]
                 : x[std::size_t{static_cast<unsigned>(i - n)} * n + j];
  }
};

__device__ double largest_part(double2 a) {
  return fmax(fabs(a.x), fabs(a.y));
}

/// The largest over the block, in all threads; not a number where one is none.
__device__ double block_largest(double value) {
  __shared__ double of_warp[batch_warps];
  const auto larger = [](double a, double b) { return a > b || isnan(a) ? a : b; };
  for (int bit = 16; bit > 0; bit /= 2)
    value = larger(value, __shfl_xor_sync(0xffffffffu, value, bit));
  __syncthreads();  // what was there may still be read
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warp[0];
  for (int w = 1; w < batch_warps; ++w) value = larger(value, of_warp[w]);
  return value;
}

/// Saves the diagonal; returns the largest part of an entry.
__device__ double save_diagonal(const StoredRows& rows, double2* diagonal) {
  double largest = 0;
  for (int j = threadIdx.x / 32; j < rows.n; j += batch_warps)
    for (int i = j + threadIdx.x % 32; i < rows.n; i += 32) {
      const double2 entry = rows.at(i, j);
      const double part = largest_part(entry);
      if (part > largest || isnan(part)) largest = part;
      if (i == j) diagonal[j] = entry;
    }
  return block_largest(largest);
}

/// Eliminates the columns of a panel, `width` of them, in shared memory, where column c
/// has `count` rows from column[c * leading] on, the first `width` of them the diagonal
/// block: column c then has L D.
template <int panel>
__device__ void eliminate_panel(double2* column, int leading, int width, int count) {
  for (int c = 0; c + 1 < width; ++c) {
    __syncthreads();
    const double2 inverse = double2{1, 0} / column[c * leading + c];
    for (int r = c + 1 + threadIdx.x; r < count; r += batch_threads) {
      const double2 l = column[c * leading + r] * inverse, minus = {-l.x, -l.y};
#pragma unroll
      for (int other = 1; other < panel; ++other)
        if (other > c && other < width && r >= other)
          add_product(column[other * leading + r], minus, column[c * leading + other]);
    }
  }
  __syncthreads();
}

/// Updates the columns behind a panel: a_ij -= sum_c l_ic d_c l_jc, in tiles of which
/// each thread has 4 x 4 entries, a half warp 16 neighbouring rows. l: columns of L,
/// whose first row is that of `first`.
template <int panel>
__device__ void update(const StoredRows& rows, int first, const double2* l, int leading,
                       const double2* pivot, int width) {
  const int left = rows.n - first, down = rows.count - first;
  const int my_row = threadIdx.x % side_threads, my_column = threadIdx.x / side_threads;
  for (int j0 = 0; j0 < left; j0 += update_tile)
    for (int i0 = j0; i0 < down; i0 += update_tile) {
      double2 sum[each][each] = {};
      for (int c = 0; c < width; ++c) {
        double2 in_row[each], in_column[each];
#pragma unroll
        for (int a = 0; a < each; ++a) {
          const int i = i0 + my_row + side_threads * a,
                    j = j0 + my_column + side_threads * a;
          in_row[a] = l[c * leading + min(i, down - 1)];
          in_column[a] = pivot[c] * l[c * leading + min(j, left - 1)];
        }
#pragma unroll
        for (int a = 0; a < each; ++a)
#pragma unroll
          for (int b = 0; b < each; ++b) add_product(sum[a][b], in_row[a], in_column[b]);
      }
#pragma unroll
      for (int b = 0; b < each; ++b)
#pragma unroll
        for (int a = 0; a < each; ++a) {
          const int i = i0 + my_row + side_threads * a,
                    j = j0 + my_column + side_threads * b;
          if (i >= down || j >= left || i < j) continue;
          double2& entry = rows.at(first + i, first + j);
          entry = entry - sum[a][b];
        }
    }
}

/// x = L^-T x of one side, from the last columns to the first: a warp for each column
/// subtracts what the rows below its group give, then lanes of one warp solve the group.
__device__ void substitute_back(const double2* z, int n, double2* x) {
  __shared__ double2 group[back_columns];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int last = n; last > 0;) {
    const int first = max(0, (last - 1) / back_columns * back_columns);
    for (int j = first + warp; j < last; j += batch_warps) {
      const double2* column = z + std::size_t{static_cast<unsigned>(j)} * n;
      double2 sum = {0, 0};
      for (int i = last + lane; i < n; i += 32) add_product(sum, column[i], x[i]);
      for (int bit = 16; bit > 0; bit /= 2) {
        sum.x += __shfl_xor_sync(0xffffffffu, sum.x, bit);
        sum.y += __shfl_xor_sync(0xffffffffu, sum.y, bit);
      }
      if (lane == 0) group[j - first] = x[j] - sum;
    }
    __syncthreads();
    if (warp == 0) {
      const int j = first + lane;
      double2 mine = j < last ? group[lane] : double2{0, 0};
      for (int i = last - 1; i > first; --i) {
        const double2 known = {__shfl_sync(0xffffffffu, mine.x, i - first),
                               __shfl_sync(0xffffffffu, mine.y, i - first)};
        if (j >= i) continue;
        const double2 l = z[std::size_t{static_cast<unsigned>(j)} * n + i];
        add_product(mine, {-l.x, -l.y}, known);
      }
      if (j < last) x[j] = mine;
    }
    __syncthreads();
    last = first;
  }
}

/// A block for each matrix, right-looking: a panel of columns goes to shared memory, is
/// eliminated there, goes back as L, and its products are taken from all columns behind
/// it, which stay in L2.
///
///        panel
///     [ d          ]
///     [ L \        ]      rows of one thread: every 256th of the panel,
///     [ L  a \     ]      or 4 x 4 of a 64 x 64 tile of a
///     [ L  a  a \  ]
///     [ v  v  v  v ]      right-hand sides
///
/// One matrix of 300 unknowns is 36 Mflop: a GPU has hundreds of them in work at once,
/// and no step of one waits for another's.
template <int panel>
__global__ void __launch_bounds__(batch_threads, 2)
    factor_and_solve(const __grid_constant__ LdltView batch, int leading) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* column = reinterpret_cast<double2*>(memory);
  __shared__ double2 pivot[panel];
  const BatchedMatrix at = batch.matrices[blockIdx.x];
  const int n = static_cast<int>(at.n), rhs_count = static_cast<int>(at.rhs_count);
  const StoredRows rows = {batch.z + at.z, batch.x + at.v, n, n + rhs_count};
  for (int i = threadIdx.x; i < rhs_count * n; i += batch_threads)
    rows.x[i] = batch.v[at.v + static_cast<unsigned>(i)];
  const double largest = save_diagonal(rows, batch.diagonal + at.row);
  double left = 0, minus_smallest = -INFINITY;
  for (int first = 0; first < n; first += panel) {
    const int width = min(panel, n - first), count = rows.count - first;
    __syncthreads();
    for (int c = 0; c < width; ++c)
      for (int r = threadIdx.x; r < count; r += batch_threads)
        if (r >= c) column[c * leading + r] = rows.at(first + r, first + c);
    eliminate_panel<panel>(column, leading, width, count);
    if (threadIdx.x < width) {
      pivot[threadIdx.x] = column[threadIdx.x * leading + threadIdx.x];
      minus_smallest = fmax(minus_smallest, -abs(pivot[threadIdx.x]));
    }
    __syncthreads();
    for (int c = 0; c < width; ++c) {
      const double2 inverse = double2{1, 0} / pivot[c];
      for (int r = c + threadIdx.x; r < count; r += batch_threads) {
        double2& entry = column[c * leading + r];
        if (r < count - rhs_count) {
          const double part = largest_part(entry);
          if (part > left || isnan(part)) left = part;
        }
        if (r > c) entry = entry * inverse;
        rows.at(first + r, first + c) = entry;
      }
    }
    __syncthreads();
    update<panel>(rows, first + width, column + width, leading, pivot, width);
  }
  __syncthreads();
  for (int rhs = 0; rhs < rhs_count; ++rhs)
    substitute_back(rows.z, n, rows.x + std::size_t{static_cast<unsigned>(rhs)} * n);
  left = block_largest(left);
  const double smallest = -block_largest(minus_smallest);
  if (threadIdx.x == 0) batch.reports[blockIdx.x] = {left / largest, smallest / largest};
}

/// ||v - Z x|| / ||v|| of every side, from the triangle that was not overwritten: entry
/// (i, j), j < i, at [i * n + j]. A thread for each row: what is left of the diagonal is
/// read by a warp for each row, what is above it by neighbouring threads together.
__global__ void __launch_bounds__(batch_threads)
    find_residuals(const __grid_constant__ LdltView batch) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* r = reinterpret_cast<double2*>(memory);  // [n]
  const BatchedMatrix at = batch.matrices[blockIdx.x];
  const int n = static_cast<int>(at.n), lane = threadIdx.x % 32;
  const double2 *z = batch.z + at.z, *diagonal = batch.diagonal + at.row;
  for (unsigned rhs = 0; rhs < at.rhs_count; ++rhs) {
    const double2 *v = batch.v + at.v + std::size_t{rhs} * n,
                  *x = batch.x + at.v + std::size_t{rhs} * n;
    for (int i = threadIdx.x / 32; i < n; i += batch_warps) {
      double2 sum = {0, 0};
      for (int j = lane; j < i; j += 32)
        add_product(sum, z[std::size_t{static_cast<unsigned>(i)} * n + j], x[j]);
      for (int bit = 16; bit > 0; bit /= 2) {
        sum.x += __shfl_xor_sync(0xffffffffu, sum.x, bit);
        sum.y += __shfl_xor_sync(0xffffffffu, sum.y, bit);
      }
      if (lane == 0) r[i] = v[i] - sum - diagonal[i] * x[i];
    }
    __syncthreads();
    double sums[2] = {0, 0};
    for (int i = threadIdx.x; i < n; i += batch_threads) {
      double2 rest = r[i];
      for (int j = i + 1; j < n; ++j) {
        const double2 entry = z[std::size_t{static_cast<unsigned>(j)} * n + i];
        add_product(rest, {-entry.x, -entry.y}, x[j]);
      }
      sums[0] += norm(rest);
      sums[1] += norm(v[i]);
    }
    block_sum<2, batch_threads>(sums);
    if (threadIdx.x == 0)
      batch.relative_residual[at.rhs + rhs] =
          sqrt(sums[1] > 0 ? sums[0] / sums[1] : sums[0]);
    __syncthreads();
  }
}

__global__ void add_entries(const std::uint64_t* place, const double2* value,
                            std::size_t count, double2* z) {
  const std::size_t i = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (i < count) z[place[i]] = z[place[i]] + value[i];
}

/// The most shared memory that a block of the current GPU may have.
std::size_t max_shared() {
  int index = 0, bytes = 0;
  check_cuda(cudaGetDevice(&index), "batched LDL^T", "cudaGetDevice");
  check_cuda(
      cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, index),
      "batched LDL^T", "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(bytes);
}

template <int panel>
void launch(const LdltBatch& batch, const DeviceStream& stream) {
  // Odd: rows of the diagonal block then lie in different banks.
  const std::size_t leading = batch.largest | 1,
                    bytes = panel * leading * sizeof(double2);
  allow_shared(factor_and_solve<panel>, bytes, "batched LDL^T");
  factor_and_solve<panel>
      <<<static_cast<unsigned>(batch.count), batch_threads, bytes, stream.get()>>>(
          LdltView(batch), static_cast<int>(leading));
  check_launch("batched LDL^T");
}

}  // namespace

void solve_batch(const LdltBatch& batch, const DeviceStream& stream) {
  if (batch.count == 0) return;
  if (batch.largest > max_batched_rows())
    throw Error(ErrorKind::numeric,
                "batched LDL^T: a matrix has " + std::to_string(batch.largest) +
                    " rows and right-hand sides (limit " +
                    std::to_string(max_batched_rows()) + "). Solve it alone.");
  // Remaining shared memory of the kernel: pivots, a group, sums of warps.
  constexpr std::size_t besides = 1024;
  const std::size_t wide =
      tuning::batch_ldlt_panel * (batch.largest | 1) * sizeof(double2) + besides;
  if (wide <= max_shared())
    launch<tuning::batch_ldlt_panel>(batch, stream);
  else
    launch<tuning::batch_ldlt_narrow_panel>(batch, stream);
  find_residuals<<<static_cast<unsigned>(batch.count), batch_threads,
                   batch.largest * sizeof(double2), stream.get()>>>(LdltView(batch));
  check_launch("batched LDL^T, residuals");
}

void add_to_batch(const std::uint64_t* place, const Complex* value, std::size_t count,
                  Complex* z, const DeviceStream& stream) {
  if (count == 0) return;
  add_entries<<<pass_blocks(count), pass_threads, 0, stream.get()>>>(place, parts(value),
                                                                     count, parts(z));
  check_launch("entries of a batch");
}

}  // namespace thinwire
