#pragma once

#include "cg/precondition/device_preconditioner.h"
#include "kernels/device/complex.cuh"
#include "kernels/device/launch.cuh"
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
__device__ inline void add_coarse(const CoarseLevel& coarse, std::size_t p, double2& z) {
  if (coarse.size == 0) return;
  const auto* mode = reinterpret_cast<const double2*>(coarse.mode) + p * coarse.modes;
  const auto* amplitude =
      reinterpret_cast<const double2*>(coarse.amplitude) + coarse.first_mode[p];
  for (int c = 0; c < coarse.modes; ++c) add_product(z, amplitude[c], mode[c]);
}

/// moment = P^T r, a warp for each mode. `op` as for precondition_kernel.
template <class Op>
__global__ void __launch_bounds__(tuning::vector_threads)
    coarse_moments(DeviceBlockPreconditioner::View m, Op op) {
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
  if (threadIdx.x % 32 == 0) reinterpret_cast<double2*>(m.coarse.moment)[c] = sum;
}

/// amplitude = correction moment, a warp for each row.
template <class Op>
__global__ void __launch_bounds__(tuning::vector_threads)
    coarse_amplitudes(CoarseLevel coarse, Op op) {
  wait_for_kernel_before();
  let_next_kernel_start();
  if (op.skip != nullptr && *op.skip != 0) return;
  const std::size_t row =
      (std::size_t{blockIdx.x} * tuning::vector_threads + threadIdx.x) / 32;
  if (row >= coarse.size) return;
  const auto* entry =
      reinterpret_cast<const double2*>(coarse.correction) + row * coarse.size;
  const auto* moment = reinterpret_cast<const double2*>(coarse.moment);
  double2 sum = {0, 0};
#pragma unroll 4
  for (std::size_t j = threadIdx.x % 32; j < coarse.size; j += 32)
    add_product(sum, entry[j], moment[j]);
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) reinterpret_cast<double2*>(coarse.amplitude)[row] = sum;
}

/// What precedes a precondition_kernel with a coarse level.
template <class Op>
void launch_coarse(const DeviceBlockPreconditioner::View& m, const Op& op,
                   const DeviceStream& stream) {
  constexpr std::size_t warps = tuning::vector_threads / 32;
  const auto blocks = static_cast<unsigned>((m.coarse.size + warps - 1) / warps);
  launch_overlapped("coarse level, moments", coarse_moments<Op>, blocks,
                    tuning::vector_threads, 0, stream, m, op);
  launch_overlapped("coarse level, amplitudes", coarse_amplitudes<Op>, blocks,
                    tuning::vector_threads, 0, stream, m.coarse, op);
}

}  // namespace thinwire::device
