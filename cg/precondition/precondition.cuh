#pragma once

#include <algorithm>

#include "cg/precondition/block_preconditioner.h"
#include "cg/precondition/coarse.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/per_rhs.cuh"
#include "kernels/device/sums.cuh"
#include "kernels/device/tuning.h"

namespace thinwire::device {

/// z = M r by blocks: a few lanes for each unknown. They go along the row of the inverse,
/// which lies in one piece; the values of r come from the set's unknowns.
/// The op of each side has
///   static constexpr int sums;                     how many dot products it makes
///   const int* skip;                               non-zero: do nothing; may be null
///   SumSpace space;
///   double2 input(size_t i) const                  what M is applied to
///   void operator()(size_t i, double2 z, double* sum)   in one lane for each unknown
///   void finish(const double* total)               in one thread, after all else
template <class Op, int RhsCount>
__global__ void __launch_bounds__(tuning::vector_threads)
    precondition_kernel(PreconditionerBlocks m,
                        const __grid_constant__ PerRhs<Op, RhsCount> ops) {
  const Op& op = ops.here();
  wait_for_kernel_before();
  let_next_kernel_start();
  if (op.skip != nullptr && *op.skip != 0) return;
  constexpr int lanes = tuning::precondition_lanes;
  constexpr int unknowns = tuning::vector_threads / lanes;  // of a block at a time
  constexpr int K = Op::sums > 0 ? Op::sums : 1;
  double sum[K] = {};
  const int lane = threadIdx.x % lanes;
  // The lanes of an unknown, which end the loop together.
  const unsigned group = ((1ull << lanes) - 1) << (threadIdx.x % 32 / lanes * lanes);
  for (std::size_t p = std::size_t{blockIdx.x} * unknowns + threadIdx.x / lanes;
       p < m.size; p += std::size_t{gridDim.x} * unknowns) {
    const double2* row = reinterpret_cast<const double2*>(m.inverse) + m.row_offset[p];
    const std::uint32_t* set = m.unknown + m.set_first[p];
    double2 z = {0, 0};
#pragma unroll 4
    for (std::uint32_t j = lane; j < m.set_size[p]; j += lanes)
      add_product(z, row[j], op.input(set[j]));
    for (int bit = lanes / 2; bit > 0; bit /= 2) {
      z.x += __shfl_xor_sync(group, z.x, bit);
      z.y += __shfl_xor_sync(group, z.y, bit);
    }
    if (lane == 0) {
      add_coarse(m.coarse, RhsCount == 1 ? 0 : blockIdx.y, p, z);
      op(m.unknown[p], z, sum);
    }
  }
  if constexpr (Op::sums > 0)
    grid_sum<K, tuning::vector_threads>(sum, op.space,
                                        [&](const double* total) { op.finish(total); });
}

/// The op of z = M r alone.
struct StoreResult {
  static constexpr int sums = 0;
  const double2* from;
  double2* to;
  const int* skip = nullptr;
  SumSpace space = {};
  __device__ double2 input(std::size_t i) const { return from[i]; }
  __device__ void operator()(std::size_t unknown, double2 z, double*) const {
    to[unknown] = z;
  }
};

/// For the first `count` right-hand sides of RhsCount, with amplitudes of the coarse
/// level, if there is one, that are there already.
template <class Op, int RhsCount>
void launch_blocks(const PreconditionerBlocks& m, const PerRhs<Op, RhsCount>& ops,
                   int count, const DeviceStream& stream) {
  constexpr std::size_t unknowns = tuning::vector_threads / tuning::precondition_lanes;
  const std::size_t blocks = (m.size + unknowns - 1) / unknowns;
  const dim3 grid(
      static_cast<unsigned>(std::min<std::size_t>(blocks, tuning::precondition_blocks)),
      static_cast<unsigned>(count));
  launch_overlapped("block preconditioner", precondition_kernel<Op, RhsCount>, grid,
                    tuning::vector_threads, 0, stream, m, ops);
}

/// All of M.
template <class Op, int RhsCount>
void launch_precondition(const PreconditionerBlocks& m, const PerRhs<Op, RhsCount>& ops,
                         int count, const DeviceStream& stream) {
  if (m.coarse.size > 0) launch_coarse(m, ops, count, stream);
  launch_blocks(m, ops, count, stream);
}

}  // namespace thinwire::device
