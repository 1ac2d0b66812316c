#pragma once

#include <cuda.h>

#include <cstdint>

namespace thinwire::device {

/// Hopper's bulk copies from global to shared memory and the barriers that they complete
/// on (PTX ISA 8.0, cp.async.bulk and mbarrier). Compute capability 9.0 or newer.

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
/// A phase of the barrier is complete after `arrivals` arrivals and all bytes expected.
__device__ inline void barrier_init(std::uint64_t* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}
/// Makes the initialised barriers visible to the copy engine.
__device__ inline void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void barrier_arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}
__device__ inline void barrier_arrive_expect(std::uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   shared_address(barrier)),
               "r"(bytes)
               : "memory");
}
/// Waits for the end of the phase of the given parity.
__device__ inline void barrier_wait(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra DONE;\n"
      "bra WAIT;\n"
      "DONE:\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}
/// Starts a copy that the barrier counts. Addresses and size: multiples of 16 bytes.
__device__ inline void bulk_load(void* shared, const void* global, unsigned bytes,
                                 std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
      "[%3];" ::"r"(shared_address(shared)),
      "l"(global), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}
/// Loads data that is read once: it leaves the L2 cache first.
__device__ inline void bulk_load_once(void* shared, const void* global, unsigned bytes,
                                      std::uint64_t* barrier) {
  asm volatile(
      "{\n"
      ".reg .b64 policy;\n"
      "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], policy;\n"
      "}" ::"r"(shared_address(shared)),
      "l"(global), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

/// Loads the box at (0, row, 0) by a tensor map of three dimensions.
__device__ inline void tensor_load_once(void* shared, const CUtensorMap* map, int row,
                                        std::uint64_t* barrier) {
  asm volatile(
      "{\n"
      ".reg .b64 policy;\n"
      "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::"
      "cache_hint [%0], [%1, {%2, %3, %2}], [%4], policy;\n"
      "}" ::"r"(shared_address(shared)),
      "l"(map), "r"(0), "r"(row), "r"(shared_address(barrier))
      : "memory");
}

}  // namespace thinwire::device
