#pragma once

#include <cuda_runtime.h>

#include <string>

#include "kernels/base/error.h"

namespace thinwire {

/// Throws unless `status` is success: Error{memory} when the GPU ran out, else
/// Error{device}. `where` names the kernel or the step, `call` the CUDA call.
inline void check_cuda(cudaError_t status, const char* where, const char* call) {
  if (status == cudaSuccess) return;
  const bool memory = status == cudaErrorMemoryAllocation;
  // Clears the error, which a later call would report again.
  (void)cudaGetLastError();
  throw Error(memory ? ErrorKind::memory : ErrorKind::device,
              std::string(where) + ": " + call + " failed (" + cudaGetErrorName(status) +
                  ": " + cudaGetErrorString(status) + "). " +
                  (memory ? "Use --precision mixed or fewer unknowns."
                          : "Run `thinwire devices` to see what the GPU reports."));
}

/// To be called after each kernel launch.
inline void check_launch(const char* kernel) {
  check_cuda(cudaGetLastError(), kernel, "kernel launch");
}

}  // namespace thinwire
