#pragma once

#include "kernels/device/complex.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/per_rhs.cuh"
#include "kernels/device/sums.cuh"
#include "kernels/device/tuning.h"
#include "kernels/matrix/symv.h"

namespace thinwire::device {

/// The order in which the first pass visits the tiles of the lower triangle: by squares
/// of S x S tiles (super-tiles), row by row of squares; inside a square row by row.
///
///     S = 2      [ 0 ]                        a run of consecutive tiles touches few
///                [ 1   2 ]                    blocks of rows and of columns: its sums of
///                [ 3   4 | 7 ]                both stay on the chip for a whole square
///                [ 5   6 | 8   9 ]
///
/// Of a share of the matrix, rows first_row .. rows - 1 of tiles, the squares are those
/// of the whole, without the rows that are not in it; positions count from its first
/// tile.
struct SuperTiles {
  std::size_t rows;  // of tiles
  std::size_t S;
  std::size_t first_row = 0;

  __host__ __device__ std::size_t tiles() const { return before(rows); }
  __host__ __device__ std::size_t groups() const { return (rows + S - 1) / S; }
  /// Super-tiles before super-tile row q.
  __host__ __device__ static std::size_t super_number(std::size_t q) {
    return q * (q + 1) / 2;
  }
  /// The first and last tile row of super-tile row q, the latter exclusive: S rows, or
  /// fewer at either end of the share.
  __host__ __device__ std::size_t top(std::size_t q) const {
    return q * S > first_row ? q * S : first_row;
  }
  __host__ __device__ std::size_t bottom(std::size_t q) const {
    return rows < (q + 1) * S ? rows : (q + 1) * S;
  }
  __host__ __device__ std::size_t height(std::size_t q) const {
    return bottom(q) - top(q);
  }
  /// Position of the first tile of super-tile (q, b), b <= q.
  __host__ __device__ std::size_t first(std::size_t q, std::size_t b) const {
    return before(top(q)) + b * height(q) * S;
  }

 private:
  /// Tiles of the share above a row.
  __host__ __device__ std::size_t before(std::size_t row) const {
    return row * (row + 1) / 2 - first_row * (first_row + 1) / 2;
  }
};

/// `tiles` are cut into `runs` as evenly as can be.
__host__ __device__ inline std::size_t first_tile_of_run(std::size_t run,
                                                         std::size_t tiles,
                                                         std::size_t runs) {
  return tiles * run / runs;
}

/// The second pass: block row j of y, in super-tile row q = j / S, is the sum of what the
/// super-tiles (q, 0) .. (q, q) give to their rows and (q, q) .. (last, q) to their
/// columns, each in as many parts as runs have a share in them.
///
///     thread (c, g) of block j              group 0    group 1    ...
///     c: column 0..63      super-tile  0  |  read   |
///     g: group             super-tile  1  |         |  read   |
///                          ...            +---- added in order ----> y[64 j + c]
///
/// The 64 threads of a group read 1 KiB in one piece; the groups keep enough reads under
/// way. The sums of dot products that want y can ride along:
/// `epilogue` has
///   static constexpr int sums;                     how many it collects (may be 0)
///   const int* skip;                               non-zero: do nothing; may be null
///   SumSpace space;
///   void operator()(size_t i, double2 y, double* sum)   stores y_i, adds to sum[sums]
///   void finish(const double* total)               in one thread, after all else
inline constexpr int second_pass_threads = 64 * tuning::symv_second_pass_groups;

template <class Epilogue>
__device__ __forceinline__ void second_pass(const SymvParts& parts,
                                            const Epilogue& epilogue, std::size_t begin) {
  const SuperTiles order{parts.tile_rows, parts.super};
  const std::size_t S = parts.super, j = blockIdx.x, q = j / S, rhs = blockIdx.y;
  const int c = threadIdx.x % 64, g = threadIdx.x / 64;
  // Super-tile (q, k) as rows for k <= q, then (k - 1, q) as columns.
  const auto super_number = [&](std::size_t k) {
    const std::size_t row = k <= q ? q : k - 1, column = k <= q ? k : q;
    return row * (row + 1) / 2 + column;
  };
  const auto runs_of = [&](std::size_t k) {
    return parts.ranges[super_number(k) * (S + 1) + (k <= q ? j - q * S : S)];
  };
  // Few super-tiles with many runs: groups share them.
  constexpr unsigned groups = tuning::symv_second_pass_groups;
  const auto items = static_cast<unsigned>(order.groups()) + 1;
  const unsigned sharers = items < groups ? groups / items : 1;
  RunRange range = {1, 0};
  if (g < items * sharers) range = runs_of(g / sharers);

  wait_for_kernel_before();
  let_next_kernel_start();
  if (epilogue.skip != nullptr && *epilogue.skip != 0) return;
  __shared__ double2 shared[groups][64];
  const auto* values = reinterpret_cast<const double2*>(parts.values);

  double2 sum = {0, 0};
  for (unsigned item = g; item < items * sharers; item += groups) {
    const unsigned k = item / sharers;
    if (item >= groups) range = runs_of(k);
    const std::size_t block = (k <= q ? 0 : S) + j - q * S,
                      of_run = 2 * S * parts.rhs_count * 64;
    const std::uint32_t first = range.first + item % sharers;
    const double2* part = values + (super_number(k) + first) * of_run +
                          (block * parts.rhs_count + rhs) * 64 + c;
#pragma unroll 4
    for (std::uint32_t run = first; run <= range.last; run += sharers) {
      sum = sum + __ldcs(part);
      part += sharers * of_run;
    }
  }
  shared[g][c] = sum;
  __syncthreads();

  constexpr int K = Epilogue::sums > 0 ? Epilogue::sums : 1;
  double value[K] = {};
  if (g == 0) {
    double2 y = shared[0][c];
    for (int group = 1; group < groups; ++group) y = y + shared[group][c];
    epilogue(begin + j * 64 + c, y, value);
  }
  if constexpr (Epilogue::sums > 0)
    grid_sum<K, second_pass_threads>(
        value, epilogue.space, [&](const double* total) { epilogue.finish(total); });
}

/// One epilogue for all sides: i counts on from side to side. (With one side this takes
/// 32 registers with COCG's epilogue; as the kernel below 42, too many for two blocks on
/// a multiprocessor.)
template <class Epilogue>
__global__ void __launch_bounds__(second_pass_threads)
    symv_second_pass(SymvParts parts, Epilogue epilogue) {
  second_pass(parts, epilogue, blockIdx.y * parts.tile_rows * 64);
}

/// One for each side: i counts anew.
template <class Epilogue, int RhsCount>
__global__ void __launch_bounds__(second_pass_threads) symv_second_pass_of_rhs(
    SymvParts parts, const __grid_constant__ PerRhs<Epilogue, RhsCount> epilogues) {
  second_pass(parts, epilogues.here(), 0);
}

template <class Epilogue>
void launch_second_pass(const SymvParts& parts, const Epilogue& epilogue,
                        const DeviceStream& stream) {
  const dim3 grid(static_cast<unsigned>(parts.tile_rows),
                  static_cast<unsigned>(parts.rhs_count));
  launch_overlapped("symmetric product, second pass", symv_second_pass<Epilogue>, grid,
                    second_pass_threads, 0, stream, parts, epilogue);
}

/// For the first `count` right-hand sides of parts.rhs_count = RhsCount.
template <class Epilogue, int RhsCount>
void launch_second_pass(const SymvParts& parts,
                        const PerRhs<Epilogue, RhsCount>& epilogues, int count,
                        const DeviceStream& stream) {
  const dim3 grid(static_cast<unsigned>(parts.tile_rows), static_cast<unsigned>(count));
  if constexpr (RhsCount == 1)
    launch_second_pass(parts, epilogues.op[0], stream);
  else
    launch_overlapped("symmetric product, second pass",
                      symv_second_pass_of_rhs<Epilogue, RhsCount>, grid,
                      second_pass_threads, 0, stream, parts, epilogues);
}

/// Stores y and no more.
struct StoreProduct {
  static constexpr int sums = 0;
  const int* skip = nullptr;
  SumSpace space = {};
  double2* y = nullptr;
  __device__ void operator()(std::size_t i, double2 value, double*) const {
    y[i] = value;
  }
};

}  // namespace thinwire::device
