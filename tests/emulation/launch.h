#pragma once

#include <driver_types.h>

#include <functional>
#include <type_traits>

#include "tests/emulation/block.h"
#include "tests/emulation/stream.h"

namespace emulation {

/// Launch configuration between <<< and >>>.
struct Config {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;

  Config(dim3 grid_, dim3 block_, std::size_t shared_bytes_ = 0,
         cudaStream_t stream_ = nullptr)
      : grid(grid_), block(block_), shared_bytes(shared_bytes_), stream(stream_) {}
};

/// kernel<<<config>>>(arguments...)
template <class Kernel, class... Arguments>
void launch(Config config, Kernel kernel, Arguments... arguments) {
  submit(config.stream, [=] {
    run_grid(config.grid, config.block, config.shared_bytes,
             [&] { kernel(arguments...); });
  });
}

template <class... Parameters, class... Arguments>
cudaError_t launch_kernel(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                          Arguments&&... arguments) {
  launch(
      Config(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream),
      kernel, std::decay_t<Parameters>(arguments)...);
  return cudaSuccess;
}

template <class Kernel>
cudaError_t set_attribute(Kernel, cudaFuncAttribute, int) {
  return cudaSuccess;
}

template <class Kernel>
cudaError_t get_attributes(cudaFuncAttributes* attributes, Kernel) {
  *attributes = {};
  attributes->ptxVersion = attributes->binaryVersion = 80;
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  return cudaSuccess;
}

}  // namespace emulation

// The runtime's functions that take a kernel: nvcc has templates for these.
#define cudaLaunchKernelEx ::emulation::launch_kernel
#define cudaFuncSetAttribute ::emulation::set_attribute
#define cudaFuncGetAttributes ::emulation::get_attributes

/// Functions that kernels of a graph call (graph.cpp).
void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);
