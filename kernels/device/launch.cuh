#pragma once

#include <cstddef>

#include "kernels/device/check.cuh"
#include "kernels/device/device.h"

namespace thinwire::device {

/// Kernels that overlap with the one before them on their stream ("programmatic dependent
/// launch", CUDA C++ Programming Guide, from compute capability 9.0): the GPU starts the
/// next kernel's blocks where this one's are done, and only what depends on it waits.
///
///     one before    |=====.....|                     .  a block's place falls free
///     this kernel         |--w|=====....|            -  before wait_for_kernel_before()
///     next one                   |--w|======|
///
/// A kernel launched so calls both of these, in this order and before it touches memory
/// that others write: by then everything given to the stream earlier has ended, so that
/// what the next kernel does ahead of its own wait is safe from all but this one.

/// Until the kernel before has ended and its writes can be seen.
__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// The next kernel may start, as far as there is room.
__device__ inline void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Launches a kernel that overlaps with the one before it, where the GPU can.
template <class... Parameters, class... Arguments>
void launch_overlapped(const char* what, void (*kernel)(Parameters...), dim3 blocks,
                       unsigned threads, std::size_t shared_bytes,
                       const DeviceStream& stream, const Arguments&... arguments) {
  cudaLaunchAttribute overlap;
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream.get();
  config.attrs = &overlap;
  config.numAttrs = kernel_architecture() >= 90 ? 1 : 0;
  check_cuda(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), what,
             "kernel launch");
}

/// Lets a kernel have that much dynamic shared memory. `what` it is of, for messages.
template <class Kernel>
void allow_shared(Kernel kernel, std::size_t bytes, const char* what) {
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             what, "cudaFuncSetAttribute");
}

}  // namespace thinwire::device
