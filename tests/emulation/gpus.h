#pragma once

#include <driver_types.h>

#include <cstddef>

/// The GPUs that are emulated, as environment variables say: THINWIRE_EMULATED_GPUS (how
/// many), _MEMORY (MB each), _JITTER (microseconds), _NO_PEERS (1: they cannot read each
/// other's memory).
namespace emulation {

int gpu_count();
std::size_t gpu_memory_bytes();
unsigned jitter_us();

/// The calling thread's.
int current_gpu();

/// Keeps the error for cudaGetLastError, and returns it.
cudaError_t failed(cudaError_t error);

}  // namespace emulation
