#include "cg/precondition/device_overlap.h"
#include "kernels/device/async_copy.cuh"
#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/device/tuning.h"

namespace thinwire {
namespace {

using namespace device;
using Rows = DeviceOverlapPreconditioner::Rows;
using Tile = DeviceOverlapPreconditioner::Tile;

constexpr int rows_a_warp = tuning::overlap_rows_a_warp;
/// Entries that are loaded at a time, 16 bytes.
constexpr int load_width = 2;

/// gathered = r of each position, zero where there is no function.
__global__ void gather(const std::uint32_t* functions, std::size_t positions,
                       const double2* r, float2* gathered) {
  const std::size_t p = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (p >= positions) return;
  const std::uint32_t function = functions[p];
  const double2 value = function == DeviceBlocks::none ? double2{0, 0} : r[function];
  gathered[p] = {static_cast<float>(value.x), static_cast<float>(value.y)};
}

__device__ float4 load_once(const float4* from) {
  return __ldcs(from);
}

/// sum += a x, two entries
__device__ void add_products(float2& sum, float4 a, float4 x) {
  sum.x = fmaf(a.x, x.x, fmaf(-a.y, x.y, fmaf(a.z, x.z, fmaf(-a.w, x.w, sum.x))));
  sum.y = fmaf(a.x, x.y, fmaf(a.y, x.x, fmaf(a.z, x.w, fmaf(a.w, x.z, sum.y))));
}

/// z = M r, a warp for four neighbouring rows of a set:
///
///     row 0   [ 0 0 | 1 1 | 2 2 | ... ]     a lane takes two entries of each row at a
///     row 1   [ 0 0 | 1 1 | 2 2 | ... ]     time, 16 bytes, and multiplies them with the
///     row 2   ...                           same two of r, which come from L1
///
/// Rows are read once: 8 bytes an entry, and nothing else that counts.
__global__ void __launch_bounds__(pass_threads)
    apply_rows(const Rows* groups, std::size_t count, const std::uint32_t* functions,
               const float2* rows, const float2* gathered, double2* z) {
  const std::size_t g = (std::size_t{blockIdx.x} * pass_threads + threadIdx.x) / 32;
  if (g >= count) return;
  const Rows group = groups[g];
  const int lane = threadIdx.x % 32;
  const std::uint32_t steps = group.length / load_width;
  const auto* a = reinterpret_cast<const float4*>(rows + group.entry);
  const auto* x = reinterpret_cast<const float4*>(gathered + group.position);
  float2 sum[rows_a_warp] = {};
  if (group.rows == rows_a_warp) {
#pragma unroll 4
    for (std::uint32_t j = lane; j < steps; j += 32) {
      const float4 of_r = x[j];
#pragma unroll
      for (int i = 0; i < rows_a_warp; ++i)
        add_products(sum[i], load_once(a + i * steps + j), of_r);
    }
  } else {
    for (std::uint32_t j = lane; j < steps; j += 32)
#pragma unroll
      for (int i = 0; i < rows_a_warp; ++i)
        if (i < static_cast<int>(group.rows))
          add_products(sum[i], load_once(a + i * steps + j), x[j]);
  }
#pragma unroll
  for (int i = 0; i < rows_a_warp; ++i)
    for (int bit = 16; bit > 0; bit /= 2) {
      sum[i].x += __shfl_xor_sync(0xffffffffu, sum[i].x, bit);
      sum[i].y += __shfl_xor_sync(0xffffffffu, sum[i].y, bit);
    }
#pragma unroll
  for (int i = 0; i < rows_a_warp; ++i)
    if (lane == i && lane < static_cast<int>(group.rows))
      z[functions[group.position + group.first + i]] = {sum[i].x, sum[i].y};
}

/// A tile's shape, and the product's pipeline: entries of each row in shared memory at a
/// time, padded so that eight rows are in different banks, and stages of them.
constexpr int tile_rows = tuning::overlap_tile_rows,
              tile_sets = tuning::overlap_tile_sets, depth = tuning::overlap_tile_depth,
              padded_depth = depth + load_width, stages = 3;
constexpr int tile_threads = tuning::overlap_tile_threads;
/// A thread has every `lanes_down`-th row and every `lanes_across`-th set.
constexpr int lanes_across = 8, lanes_down = tile_threads / lanes_across,
              rows_each = tile_rows / lanes_down, sets_each = tile_sets / lanes_across;
static_assert(rows_each * lanes_down == tile_rows &&
              sets_each * lanes_across == tile_sets);

struct Stage {
  float2 a[tile_rows][padded_depth], x[tile_sets][padded_depth];
};

/// Entries `column` .. of the tile's rows, or of what its sets have of r.
template <int most>
__device__ void start_copies(float2 (&to)[most][padded_depth], const float2* from,
                             std::uint32_t count, std::uint32_t length,
                             std::uint32_t column) {
  constexpr int loads_a_row = depth / load_width;
#pragma unroll
  for (int c = threadIdx.x; c < most * loads_a_row; c += tile_threads) {
    const std::uint32_t row = c / loads_a_row,
                        at = column + load_width * (c % loads_a_row);
    const bool there = row < count && at < length;
    copy_later(&to[row][at - column], from + (there ? row * std::size_t{length} + at : 0),
               there);
  }
}

/// z = M r for sets that share an inverse, a block of threads for 64 of its rows and 32
/// of the sets:
///
///                   set 0  1 .. 31
///                  [ r  r      r ]      both operands lie along k in memory, and so in
///              k   [ r  r      r ]      shared memory, where they arrive in stages of
///                                       16 entries, two stages ahead; a thread sums 4
///     row 0  [ a a . .  z  z      z     rows by 4 sets, two entries at a time
///        ..  [ a a . .  z  z      z
///
/// So that a row is read once for 32 sets, and arithmetic bounds it.
__global__ void __launch_bounds__(tile_threads)
    apply_tiles(const Tile* tiles, const std::uint32_t* functions, const float2* rows,
                const float2* gathered, double2* z) {
  __shared__ Stage ring[stages];
  const Tile tile = tiles[blockIdx.x];
  const float2 *a = rows + tile.entry, *x = gathered + tile.position;
  const int across = threadIdx.x % lanes_across, down = threadIdx.x / lanes_across;
  const std::uint32_t steps = (tile.length + depth - 1) / depth;
  const auto start = [&](std::uint32_t step) {
    if (step < steps) {
      start_copies(ring[step % stages].a, a, tile.rows, tile.length, step * depth);
      start_copies(ring[step % stages].x, x, tile.sets, tile.length, step * depth);
    }
    end_copy_group();
  };
  for (int step = 0; step < stages - 1; ++step) start(step);
  float2 sum[rows_each][sets_each] = {};
  for (std::uint32_t step = 0; step < steps; ++step) {
    wait_for_copies<stages - 2>();
    __syncthreads();  // the stage is there, and the one before is no longer read
    start(step + stages - 1);
    const Stage& stage = ring[step % stages];
#pragma unroll
    for (int k = 0; k < depth; k += load_width) {
      float4 of_a[rows_each], of_x[sets_each];
#pragma unroll
      for (int i = 0; i < rows_each; ++i)
        of_a[i] = *reinterpret_cast<const float4*>(&stage.a[down + i * lanes_down][k]);
#pragma unroll
      for (int j = 0; j < sets_each; ++j)
        of_x[j] =
            *reinterpret_cast<const float4*>(&stage.x[across + j * lanes_across][k]);
#pragma unroll
      for (int i = 0; i < rows_each; ++i)
#pragma unroll
        for (int j = 0; j < sets_each; ++j) add_products(sum[i][j], of_a[i], of_x[j]);
    }
  }
#pragma unroll
  for (int i = 0; i < rows_each; ++i)
#pragma unroll
    for (int j = 0; j < sets_each; ++j) {
      const std::uint32_t row = down + i * lanes_down, set = across + j * lanes_across;
      if (row < tile.rows && set < tile.sets)
        z[functions[tile.position + set * std::size_t{tile.length} + tile.first + row]] =
            {sum[i][j].x, sum[i][j].y};
    }
}

}  // namespace

void DeviceOverlapPreconditioner::multiply(const Complex* r, Complex* z,
                                           const DeviceStream& stream) const {
  if (size_ == 0) return;
  auto* const sum = others_ ? static_cast<Complex*>(others_->window()) : z;
  if (others_) set_bytes(sum, 0, size_ * sizeof(Complex), stream);
  auto* const gathered = reinterpret_cast<float2*>(gathered_.data());
  if (positions_ > 0) {
    gather<<<pass_blocks(positions_), pass_threads, 0, stream.get()>>>(
        functions_.data(), positions_, parts(r), gathered);
    check_launch("overlapping blocks, gather");
  }
  if (groups_.size() > 0) {
    apply_rows<<<pass_blocks(32 * groups_.size()), pass_threads, 0, stream.get()>>>(
        groups_.data(), groups_.size(), functions_.data(), parts(rows_.data()), gathered,
        parts(sum));
    check_launch("overlapping blocks");
  }
  if (tiles_.size() > 0) {
    apply_tiles<<<static_cast<unsigned>(tiles_.size()), tile_threads, 0, stream.get()>>>(
        tiles_.data(), functions_.data(), parts(rows_.data()), gathered, parts(sum));
    check_launch("overlapping blocks, shared");
  }
  if (others_) others_->sum_windows(z, size_, stream);
}

}  // namespace thinwire
