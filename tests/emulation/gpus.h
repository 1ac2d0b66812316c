#pragma once

#include <driver_types.h>

#include <cstddef>

/// The GPUs that are emulated, as environment variables say: THINWIRE_EMULATED_GPUS (how
/// many), _MEMORY (MB each), _JITTER (microseconds), _NO_PEERS (1: they cannot read each
/// other's memory), _ONLY (N: other processes have all but cuda:N to themselves, so that
/// no context can be opened there).
namespace emulation {

int gpu_count();
std::size_t gpu_memory_bytes();
unsigned jitter_us();

/// The calling thread's.
int current_gpu();

/// An error where the calling thread's GPU cannot have a context, which calls that work
/// on it open.
cudaError_t open_context();

/// Keeps the error for cudaGetLastError, and returns it.
cudaError_t failed(cudaError_t error);

}  // namespace emulation
