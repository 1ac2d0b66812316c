#pragma once

#include "cg/device_coarse.cuh"
#include "cg/device_preconditioner.h"
#include "kernels/device_complex.cuh"
#include "kernels/device_sums.cuh"
#include "kernels/tuning.h"

namespace thinwire::device {

/// z = M r by blocks: a warp for each unknown. Its lanes go along the row of the inverse,
/// which lies in one piece; the values of r come from the set's unknowns.
/// `op` has
///   static constexpr int sums;                            how many dot products it makes
///   const int* skip;   SumSpace space;
///   const double2* input() const
///   void operator()(size_t unknown, double2 z, double* sum)   in one lane for each
///   unknown void finish(const double* total)                      in one thread, after
///   all else
template <class Op>
__global__ void __launch_bounds__(tuning::vector_threads)
    precondition_kernel(DeviceBlockPreconditioner::View m, Op op) {
  if (op.skip != nullptr && *op.skip != 0) return;
  constexpr int warps = tuning::vector_threads / 32;
  constexpr int K = Op::sums > 0 ? Op::sums : 1;
  double sum[K] = {};
  const int lane = threadIdx.x % 32;
  const double2* r = op.input();
  for (std::size_t p = std::size_t{blockIdx.x} * warps + threadIdx.x / 32; p < m.size;
       p += std::size_t{gridDim.x} * warps) {
    const double2* row = reinterpret_cast<const double2*>(m.inverse) + m.row_offset[p];
    const std::uint32_t* set = m.unknown + m.set_first[p];
    double2 z = {0, 0};
    for (std::uint32_t j = lane; j < m.set_size[p]; j += 32)
      add_product(z, row[j], r[set[j]]);
    for (int bit = 16; bit > 0; bit /= 2) {
      z.x += __shfl_xor_sync(0xffffffffu, z.x, bit);
      z.y += __shfl_xor_sync(0xffffffffu, z.y, bit);
    }
    if (lane == 0) {
      add_coarse(m.coarse, p, z);
      op(m.unknown[p], z, sum);
    }
  }
  if constexpr (Op::sums > 0)
    grid_sum<K, tuning::vector_threads>(sum, op.space,
                                        [&](const double* total) { op.finish(total); });
}

template <class Op>
void launch_precondition(const DeviceBlockPreconditioner::View& m, const Op& op,
                         const DeviceStream& stream) {
  if (m.coarse.size > 0) launch_coarse(m, op, stream);
  constexpr std::size_t warps = tuning::vector_threads / 32;
  const std::size_t blocks = (m.size + warps - 1) / warps;
  precondition_kernel<<<static_cast<unsigned>(
                            blocks < tuning::precondition_blocks
                                ? blocks
                                : std::size_t{tuning::precondition_blocks}),
                        tuning::vector_threads, 0, stream.get()>>>(m, op);
  check_launch("block preconditioner");
}

}  // namespace thinwire::device
