#pragma once

#include "cg/precondition/block_preconditioner.h"
#include "kernels/device/complex.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/per_rhs.cuh"
#include "kernels/device/tuning.h"

namespace thinwire::device {

__device__ inline double2 warp_sum(double2 value) {
  for (int bit = 16; bit > 0; bit /= 2) {
    value.x += __shfl_xor_sync(0xffffffffu, value.x, bit);
    value.y += __shfl_xor_sync(0xffffffffu, value.y, bit);
  }
  return value;
}

/// The coarse level's share of position p of M r.
__device__ inline void add_coarse(const CoarseLevel& coarse, std::size_t rhs,
                                  std::size_t p, double2& z) {
  if (coarse.size == 0) return;
  const auto* mode = reinterpret_cast<const double2*>(coarse.mode) + p * coarse.modes;
  const auto* amplitude = reinterpret_cast<const double2*>(coarse.amplitude) +
                          rhs * (coarse.size + coarse.modes) + coarse.first_mode[p];
  for (int c = 0; c < coarse.modes; ++c) add_product(z, amplitude[c], mode[c]);
}

/// moment = P^T r, a warp for each mode. `op` as for precondition_kernel.
template <class Op, int RhsCount>
__global__ void __launch_bounds__(tuning::vector_threads)
    coarse_moments(PreconditionerBlocks m,
                   const __grid_constant__ PerRhs<Op, RhsCount> ops) {
  const Op& op = ops.here();
  wait_for_kernel_before();
  let_next_kernel_start();
  if (op.skip != nullptr && *op.skip != 0) return;
  const unsigned c = (blockIdx.x * tuning::vector_threads + threadIdx.x) / 32;
  if (c >= m.coarse.size) return;
  const std::uint32_t first = m.coarse.mode_set[c], size = m.set_size[first];
  const auto* mode =
      reinterpret_cast<const double2*>(m.coarse.mode) + (c - m.coarse.first_mode[first]);
  double2 sum = {0, 0};
  for (std::uint32_t p = first + threadIdx.x % 32; p < first + size; p += 32)
    add_product(sum, mode[std::size_t{p} * m.coarse.modes], op.input(m.unknown[p]));
  sum = warp_sum(sum);
  const std::size_t rhs = RhsCount == 1 ? 0 : blockIdx.y;
  if (threadIdx.x % 32 == 0)
    reinterpret_cast<double2*>(m.coarse.moment)[rhs * m.coarse.size + c] = sum;
}

/// amplitude = correction moment, a warp for each row.
template <class Op, int RhsCount>
__global__ void __launch_bounds__(tuning::vector_threads)
    coarse_amplitudes(CoarseLevel coarse,
                      const __grid_constant__ PerRhs<Op, RhsCount> ops) {
  const Op& op = ops.here();
  wait_for_kernel_before();
  let_next_kernel_start();
  if (op.skip != nullptr && *op.skip != 0) return;
  const std::size_t row =
      (std::size_t{blockIdx.x} * tuning::vector_threads + threadIdx.x) / 32;
  if (row >= coarse.size) return;
  const auto* entry =
      reinterpret_cast<const double2*>(coarse.correction) + row * coarse.size;
  const std::size_t rhs = RhsCount == 1 ? 0 : blockIdx.y;
  const auto* moment =
      reinterpret_cast<const double2*>(coarse.moment) + rhs * coarse.size;
  double2 sum = {0, 0};
#pragma unroll 4
  for (std::size_t j = threadIdx.x % 32; j < coarse.size; j += 32)
    add_product(sum, entry[j], moment[j]);
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0)
    reinterpret_cast<double2*>(
        coarse.amplitude)[rhs * (coarse.size + coarse.modes) + row] = sum;
}

/// Blocks of threads with a warp for each mode, and right-hand sides.
inline dim3 coarse_grid(const CoarseLevel& coarse, int rhs_count) {
  constexpr std::size_t warps = tuning::vector_threads / 32;
  return dim3(static_cast<unsigned>((coarse.size + warps - 1) / warps),
              static_cast<unsigned>(rhs_count));
}

template <class Op, int RhsCount>
void launch_coarse_moments(const PreconditionerBlocks& m, const PerRhs<Op, RhsCount>& ops,
                           int count, const DeviceStream& stream) {
  launch_overlapped("coarse level, moments", coarse_moments<Op, RhsCount>,
                    coarse_grid(m.coarse, count), tuning::vector_threads, 0, stream, m,
                    ops);
}

/// Launches the coarse level that precedes a precondition_kernel.
template <class Op, int RhsCount>
void launch_coarse(const PreconditionerBlocks& m, const PerRhs<Op, RhsCount>& ops,
                   int count, const DeviceStream& stream) {
  launch_coarse_moments(m, ops, count, stream);
  launch_overlapped("coarse level, amplitudes", coarse_amplitudes<Op, RhsCount>,
                    coarse_grid(m.coarse, count), tuning::vector_threads, 0, stream,
                    m.coarse, ops);
}

}  // namespace thinwire::device
