#pragma once

#include "kernels/device_complex.cuh"
#include "kernels/device_sums.cuh"
#include "kernels/symv.h"
#include "kernels/tuning.h"

namespace thinwire::device {

/// The run of tiles that holds tile t, and the first tile of a run: `tiles` are cut into
/// `runs` as evenly as can be.
__host__ __device__ inline std::size_t first_tile_of_run(std::size_t run,
                                                         std::size_t tiles,
                                                         std::size_t runs) {
  return tiles * run / runs;
}
__host__ __device__ inline std::size_t run_of_tile(std::size_t tile, std::size_t tiles,
                                                   std::size_t runs) {
  return ((tile + 1) * runs - 1) / tiles;
}

/// The second pass: y[block j] = row parts of tile row j, run after run, plus the column
/// parts of tiles (j + 1, j), (j + 2, j), ...
///
///     thread (c, g) of block j                      group 0    group 1    ...
///     c: column 0..63      part of tile row  j + 1 |  read   |
///     g: group             part of tile row  j + 2 |         |  read   |
///                          ...                     +---- added in order ----> y[64 j +
///                          c]
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
__global__ void __launch_bounds__(second_pass_threads)
    symv_second_pass(SymvParts parts, Epilogue epilogue) {
  if (epilogue.skip != nullptr && *epilogue.skip != 0) return;
  constexpr int groups = tuning::symv_second_pass_groups;
  __shared__ double2 shared[groups][64];
  const std::size_t j = blockIdx.x, rows = parts.tile_rows, tiles = rows * (rows + 1) / 2;
  const std::size_t sides = parts.sides, side = blockIdx.y;
  const int c = threadIdx.x % 64, g = threadIdx.x / 64;

  double2 sum = {0, 0};
  const auto* columns = reinterpret_cast<const double2*>(parts.columns);
#pragma unroll 4
  for (std::size_t i = j + 1 + g; i < rows; i += groups)
    sum = sum + __ldcs(columns + ((i * (i + 1) / 2 + j) * sides + side) * 64 + c);
  shared[g][c] = sum;
  __syncthreads();

  constexpr int K = Epilogue::sums > 0 ? Epilogue::sums : 1;
  double value[K] = {};
  if (g == 0) {
    const std::size_t first = j * (j + 1) / 2;
    const std::size_t first_run = run_of_tile(first, tiles, parts.runs),
                      last_run = run_of_tile(first + j, tiles, parts.runs);
    const auto* row_parts = reinterpret_cast<const double2*>(parts.rows);
    double2 y = {0, 0};
    for (std::size_t run = first_run; run <= last_run; ++run)
      y = y + row_parts[((j + run) * sides + side) * 64 + c];
    for (int group = 0; group < groups; ++group) y = y + shared[group][c];
    epilogue(side * rows * 64 + j * 64 + c, y, value);
  }
  if constexpr (Epilogue::sums > 0)
    grid_sum<K, second_pass_threads>(
        value, epilogue.space, [&](const double* total) { epilogue.finish(total); });
}

template <class Epilogue>
void launch_second_pass(const SymvParts& parts, const Epilogue& epilogue,
                        const DeviceStream& stream) {
  const dim3 grid(static_cast<unsigned>(parts.tile_rows),
                  static_cast<unsigned>(parts.sides));
  symv_second_pass<<<grid, second_pass_threads, 0, stream.get()>>>(parts, epilogue);
  check_launch("symmetric product, second pass");
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
  __device__ void finish(const double*) const {}
};

}  // namespace thinwire::device
