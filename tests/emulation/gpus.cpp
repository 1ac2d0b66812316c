#include "tests/emulation/gpus.h"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "tests/emulation/memory.h"
#include "tests/emulation/stream.h"

namespace emulation {
namespace {

thread_local int current = 0;
thread_local cudaError_t last_error = cudaSuccess;

/// Limits of a GPU of compute capability 8.0, with few processors.
constexpr int processors = 4;
constexpr int shared_bytes_of_block = 166912, shared_bytes_of_processor = 167936;
constexpr int cache_bytes = 4 << 20;
constexpr int cuda_version = 13000;
constexpr int any = -1;

std::size_t setting(const char* name, std::size_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace

int gpu_count() {
  static const auto count = static_cast<int>(setting("THINWIRE_EMULATED_GPUS", 2));
  return count;
}
std::size_t gpu_memory_bytes() {
  static const std::size_t bytes = setting("THINWIRE_EMULATED_MEMORY", 8192) << 20;
  return bytes;
}
unsigned jitter_us() {
  static const auto most = static_cast<unsigned>(setting("THINWIRE_EMULATED_JITTER", 0));
  return most;
}
int current_gpu() {
  return current;
}
cudaError_t failed(cudaError_t error) {
  last_error = error;
  return error;
}
cudaError_t open_context() {
  static const auto only = static_cast<int>(setting("THINWIRE_EMULATED_ONLY", any));
  return only == any || only == current ? cudaSuccess
                                        : failed(cudaErrorDevicesUnavailable);
}

}  // namespace emulation

using namespace emulation;

cudaError_t cudaGetDeviceCount(int* count) {
  *count = gpu_count();
  return *count > 0 ? cudaSuccess : failed(cudaErrorNoDevice);
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= gpu_count()) return failed(cudaErrorInvalidDevice);
  current = device;
  return open_context();
}
cudaError_t cudaGetDevice(int* device) {
  *device = current;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {};
  std::strcpy(properties->name, "Emulated GPU");
  std::snprintf(properties->uuid.bytes, sizeof properties->uuid.bytes, "emulated-gpu-%d",
                device);
  properties->major = 8;
  properties->multiProcessorCount = processors;
  properties->totalGlobalMem = gpu_memory_bytes();
  properties->sharedMemPerBlockOptin = shared_bytes_of_block;
  properties->l2CacheSize = cache_bytes;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
      *value = 8;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = processors;
      break;
    case cudaDevAttrL2CacheSize:
      *value = cache_bytes;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = shared_bytes_of_block;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = shared_bytes_of_processor;
      break;
    default:
      *value = 0;
  }
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = gpu_memory_bytes();
  *free = *total - used_bytes(current);
  return open_context();
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  static const bool peers = setting("THINWIRE_EMULATED_NO_PEERS", 0) == 0;
  *can = peers;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  *value = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  synchronize_gpu(current);
  return open_context();
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = cuda_version;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = cuda_version;
  return cudaSuccess;
}
/// No function of the driver is there: those that thinwire asks for want capability 9.0.
cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  *function = nullptr;
  if (result != nullptr) *result = cudaDriverEntryPointSymbolNotFound;
  return failed(cudaErrorNotSupported);
}

cudaError_t cudaGetLastError() {
  return std::exchange(last_error, cudaSuccess);
}
const char* cudaGetErrorName(cudaError_t error) {
  thread_local std::string name;
  name = "error " + std::to_string(error);
  return name.c_str();
}
const char* cudaGetErrorString(cudaError_t error) {
  return cudaGetErrorName(error);
}
