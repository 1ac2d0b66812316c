#pragma once

#include <cuda_runtime.h>

namespace thinwire::device {

/// Copies from global to shared memory that pass no registers (PTX ISA 7.0, cp.async):
/// 16 bytes each, in groups that are waited for in the order in which they were started.

__device__ inline void copy_later(void* shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(shared))),
               "l"(global)
               : "memory");
}
/// Zero where there is nothing to copy.
__device__ inline void copy_later(void* shared, const void* global, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(shared))),
               "l"(global), "r"(there ? 16 : 0)
               : "memory");
}
__device__ inline void end_copy_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until so many groups at most are under way.
template <int under_way>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(under_way) : "memory");
}

}  // namespace thinwire::device
