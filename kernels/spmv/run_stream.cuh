#pragma once

#include <cstdint>

#include "kernels/device/bulk_copy.cuh"

namespace thinwire::device {

/// The values of a task, a stream that one warp reads from end to end, as it passes
/// through shared memory: a ring of 8 stages, filled ahead. A piece of 32 columns is two
/// stages at most and so lies in three. A task has less than 2^32 bytes: 8 chunks of at
/// most 32 slices.
///
///     memory   ... | read, filled anew | piece | filled | filled | under way | ...
///                  position ->           wait()  at()               started ->
///
/// Bulk copies fill it where the GPU has them (compute capability 9.0), a thread's
/// asynchronous copies of 16 bytes elsewhere.
template <unsigned piece_bytes>
class RunStream {
  static constexpr unsigned stages = 8, stage = piece_bytes / 2, ring = stages * stage;

 public:
  /// Aligned to 16 bytes.
  static constexpr unsigned shared_bytes = ring + stages * sizeof(std::uint64_t);

  __device__ RunStream(unsigned char* shared, const void* from, unsigned bytes)
      : shared_(shared), from_(static_cast<const unsigned char*>(from)), bytes_(bytes) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      for (unsigned s = 0; s < stages; ++s) barrier_init(barrier(s), 1);
      barrier_init_fence();
    }
    __syncwarp();
#endif
    for (unsigned s = 0; s < stages; ++s) start_stage();
  }

  /// Until the next piece is there, of so many bytes.
  __device__ void wait([[maybe_unused]] unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    for (; arrived_ < position_ + bytes; arrived_ += stage)
      barrier_wait(barrier(arrived_ / stage % stages), arrived_ / ring & 1);
#else
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 3) : "memory");
    __syncwarp();
#endif
  }
  /// 16 bytes of the next piece.
  __device__ const void* at(unsigned offset) const {
    return shared_ + ((position_ + offset) & (ring - 1));
  }
  /// The warp has read the next piece; whole stages behind it are filled anew.
  __device__ void pass(unsigned bytes) {
    __syncwarp();
    position_ += bytes;
    while (started_ - position_ <= ring - stage) start_stage();
  }

  /// To be called at last: nothing may be under way to shared memory that is another
  /// block's by then. (Padding behind the last piece can be.)
  __device__ void finish() {
#if __CUDA_ARCH__ >= 900
    wait(bytes_ - position_);
#endif
  }

 private:
  __device__ std::uint64_t* barrier(unsigned s) const {
    return reinterpret_cast<std::uint64_t*>(shared_ + ring) + s;
  }
  __device__ void start_stage() {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0 && started_ < bytes_) {
      const unsigned here = min(stage, bytes_ - started_);
      std::uint64_t* const full = barrier(started_ / stage % stages);
      barrier_arrive_expect(full, here);
      bulk_load_once(shared_ + (started_ & (ring - 1)), from_ + started_, here, full);
    }
#else
#pragma unroll
    for (unsigned offset = 0; offset < stage; offset += 512) {
      const unsigned byte = started_ + offset + 16 * threadIdx.x;
      if (offset + 16 * threadIdx.x < stage && byte < bytes_)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         shared_address(shared_ + (byte & (ring - 1)))),
                     "l"(from_ + byte)
                     : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
    started_ += stage;
  }

  unsigned char* shared_;
  const unsigned char* from_;
  unsigned bytes_, position_ = 0, started_ = 0, arrived_ = 0;
};

}  // namespace thinwire::device
