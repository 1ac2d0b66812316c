#include "tests/emulation/memory.h"

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/emulation/gpus.h"
#include "tests/emulation/stop.h"
#include "tests/emulation/stream.h"

namespace emulation {
namespace {

constexpr std::size_t alignment = 512;
constexpr int poison = 0xCB, freed_poison = 0xFE;
constexpr int host = -1;

/// Where memory of GPUs, and pinned memory of the host, begins, how long it is and whose.
struct Allocation {
  std::size_t bytes;
  int device;
};
std::mutex mutex;
std::map<const char*, Allocation> allocations;
std::map<int, std::size_t> used;

void* allocate(std::size_t bytes, int device) {
  void* const begin = std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
  if (begin == nullptr) return nullptr;
  std::memset(begin, poison, bytes);
  const std::lock_guard lock(mutex);
  allocations[static_cast<const char*>(begin)] = {bytes, device};
  used[device] += bytes;
  return begin;
}

Allocation allocation_at(const void* begin) {
  const std::lock_guard lock(mutex);
  const auto found = allocations.find(static_cast<const char*>(begin));
  if (found == allocations.end()) stop("memory is freed that is not allocated");
  return found->second;
}

void release(void* begin) {
  const Allocation allocation = allocation_at(begin);
  {
    const std::lock_guard lock(mutex);
    allocations.erase(static_cast<const char*>(begin));
    used[allocation.device] -= allocation.bytes;
  }
  std::memset(begin, freed_poison, allocation.bytes);
  std::free(begin);
}

/// Neither on a GPU nor pinned: copies from there are staged, copies to there waited for.
bool pageable(const void* address) {
  const std::lock_guard lock(mutex);
  const char* const at = static_cast<const char*>(address);
  const auto after = allocations.upper_bound(at);
  if (after == allocations.begin()) return true;
  const auto& [begin, allocation] = *std::prev(after);
  return at >= begin + allocation.bytes;
}

}  // namespace

std::size_t used_bytes(int device) {
  const std::lock_guard lock(mutex);
  return used[device];
}

}  // namespace emulation

using namespace emulation;

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = nullptr;
  if (const cudaError_t error = open_context(); error != cudaSuccess) return error;
  if (used_bytes(current_gpu()) + bytes > gpu_memory_bytes())
    return failed(cudaErrorMemoryAllocation);
  *memory = allocate(bytes, current_gpu());
  return *memory != nullptr ? cudaSuccess : failed(cudaErrorMemoryAllocation);
}
/// Waits for the GPU, as CUDA's does.
cudaError_t cudaFree(void* memory) {
  if (memory == nullptr) return open_context();
  synchronize_gpu(allocation_at(memory).device);
  release(memory);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  *memory = nullptr;
  if (const cudaError_t error = open_context(); error != cudaSuccess) return error;
  *memory = allocate(bytes, host);
  return *memory != nullptr ? cudaSuccess : failed(cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void* memory) {
  if (memory != nullptr) release(memory);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  if (pageable(from)) {
    const char* const begin = static_cast<const char*>(from);
    const auto staged = std::make_shared<std::vector<char>>(begin, begin + bytes);
    submit(stream, [=] { std::memcpy(to, staged->data(), bytes); });
  } else {
    submit(stream, [=] { std::memmove(to, from, bytes); });
  }
  if (pageable(to)) stream_of(stream).wait();
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t rows,
                              cudaMemcpyKind, cudaStream_t stream) {
  if (pageable(to) || pageable(from))
    stop("a copy of rows in pageable memory is not emulated");
  submit(stream, [=] {
    for (std::size_t r = 0; r < rows; ++r)
      std::memmove(static_cast<char*>(to) + r * to_pitch,
                   static_cast<const char*>(from) + r * from_pitch, width);
  });
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes,
                            cudaStream_t stream) {
  submit(stream, [=] { std::memset(memory, value, bytes); });
  return cudaSuccess;
}

/// A texture is where its memory begins.
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture,
                                    const cudaResourceDesc* resource,
                                    const cudaTextureDesc*, const cudaResourceViewDesc*) {
  *texture = reinterpret_cast<cudaTextureObject_t>(resource->res.linear.devPtr);
  return cudaSuccess;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t) {
  return cudaSuccess;
}
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
