#pragma once

#include <cstddef>

#include "kernels/device/complex.cuh"
#include "kernels/device/tuning.h"

namespace thinwire::device {

inline constexpr int pass_threads = tuning::pass_threads;

/// Blocks of pass_threads that give each of `count` a thread.
inline unsigned pass_blocks(std::size_t count) {
  return static_cast<unsigned>((count + pass_threads - 1) / pass_threads);
}

/// to = from, in double.
template <class Entry>
__global__ void widen_all(const Entry* from, double2* to, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (i < count) to[i] = widen(from[i]);
}

}  // namespace thinwire::device
