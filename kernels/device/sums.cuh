#pragma once

#include "kernels/device/check.cuh"

namespace thinwire::device {

/// Sums over all threads of a kernel in a fixed order: each block leaves its part in
/// memory, and the block that happens to be last adds the parts, always in the same
/// order, and hands the totals to one thread. No second launch, no atomic sum.

inline constexpr int max_sum_blocks = 8192;
inline constexpr int max_sums = 6;

/// Zeroed once; every kernel leaves the ticket as it found it.
struct SumSpace {
  double* partial = nullptr;  ///< [max_sum_blocks][max_sums]
  unsigned* ticket = nullptr;
};

/// Sums of value[k] over the block, in thread 0. Every thread of the block calls it.
template <int K, int threads>
__device__ inline void block_sum(double (&value)[K]) {
  static_assert(threads % 32 == 0);
  constexpr int warps = threads / 32;
  __shared__ double shared[warps][K];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int k = 0; k < K; ++k)
    for (int bit = 16; bit > 0; bit /= 2)
      value[k] += __shfl_xor_sync(0xffffffffu, value[k], bit);
  __syncthreads();  // `shared` may still be read from the call before
  if (lane == 0)
    for (int k = 0; k < K; ++k) shared[warp][k] = value[k];
  __syncthreads();
  if (threadIdx.x == 0)
    for (int k = 0; k < K; ++k) {
      value[k] = 0;
      for (int w = 0; w < warps; ++w) value[k] += shared[w][k];
    }
}

/// Sums value[k] over the grid and calls finish(totals) in one thread of the last block.
/// Every thread of a one-dimensional grid of at most max_sum_blocks blocks calls it.
template <int K, int threads, class Finish>
__device__ inline void grid_sum(double (&value)[K], SumSpace space, Finish finish) {
  static_assert(K <= max_sums);
  block_sum<K, threads>(value);
  __shared__ bool last;
  if (threadIdx.x == 0) {
    for (int k = 0; k < K; ++k) space.partial[blockIdx.x * max_sums + k] = value[k];
    __threadfence();
    // Wraps to zero at the last block: ready for the next kernel.
    last = atomicInc(space.ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  for (int k = 0; k < K; ++k) {
    value[k] = 0;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += threads)
      value[k] += __ldcg(space.partial + block * max_sums + k);
  }
  block_sum<K, threads>(value);
  if (threadIdx.x == 0) finish(value);
}

}  // namespace thinwire::device
