#include "kernels/device/device.h"

#include "kernels/base/bytes_text.h"
#include "kernels/device/check.cuh"

namespace thinwire {
namespace {

/// Its attributes tell whether the program has code for the current GPU.
__global__ void probe_kernel() {}

bool current_device_runs_this_build() {
  cudaFuncAttributes attributes;
  const bool runs = cudaFuncGetAttributes(&attributes, probe_kernel) == cudaSuccess;
  (void)cudaGetLastError();
  return runs;
}

/// "8.0, 9.0" of the 800,900 that nvcc compiles for.
std::string compiled_architectures() {
  std::string text;
  for (const int architecture : {__CUDA_ARCH_LIST__})
    text += (text.empty() ? "" : ", ") + std::to_string(architecture / 100) + "." +
            std::to_string(architecture % 100 / 10);
  return text;
}

std::string hexadecimal(std::string_view bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

std::string no_code_for(const DeviceInfo& info) {
  return "cuda:" + std::to_string(info.index) + ": this program has no code for it (a " +
         info.name + " has compute capability " +
         std::to_string(info.compute_capability / 10) + "." +
         std::to_string(info.compute_capability % 10) +
         "). Build with -DCMAKE_CUDA_ARCHITECTURES=" +
         std::to_string(info.compute_capability) + ".";
}

std::string not_opened(int index, cudaError_t status) {
  const bool taken = status == cudaErrorDevicesUnavailable;
  return "cuda:" + std::to_string(index) + ": cannot be opened (" +
         cudaGetErrorString(status) + "). " +
         (taken ? "Another process may have it to itself (`nvidia-smi` tells): name "
                : "Name ") +
         "another GPU, or use --device cpu.";
}

/// Describes GPU `index` without opening it.
DeviceInfo unopened(int index) {
  cudaDeviceProp properties;
  check_cuda(cudaGetDeviceProperties(&properties, index), "device list",
             "cudaGetDeviceProperties");
  DeviceInfo info;
  info.index = index;
  info.name = properties.name;
  info.uuid = hexadecimal({properties.uuid.bytes, sizeof properties.uuid.bytes});
  info.compute_capability = 10 * properties.major + properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  return info;
}

/// Describes GPU `index`, which becomes the current one where it can be opened.
DeviceInfo describe(int index) {
  const cudaError_t status = cudaSetDevice(index);
  (void)cudaGetLastError();
  if (status == cudaSuccess) return current_device();
  DeviceInfo info = unopened(index);
  info.problem = not_opened(index, status);
  return info;
}

/// To the other `count` - 1 GPUs.
std::vector<PeerLink> links_of(int index, int count) {
  std::vector<PeerLink> links;
  for (int other = 0; other < count; ++other) {
    if (other == index) continue;
    int direct = 0, atomics = 0;
    check_cuda(cudaDeviceCanAccessPeer(&direct, index, other), "device list",
               "cudaDeviceCanAccessPeer");
    check_cuda(cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported,
                                         index, other),
               "device list", "cudaDeviceGetP2PAttribute");
    links.push_back({other, direct != 0, atomics != 0});
  }
  return links;
}

std::string no_device(cudaError_t status, int driver_version) {
  if (driver_version == 0)
    return "cuda: no NVIDIA driver answers. Install the driver, or use --device cpu.";
  if (status == cudaErrorInsufficientDriver)
    return "cuda: the driver supports CUDA " + std::to_string(driver_version / 1000) +
           "." + std::to_string(driver_version % 1000 / 10) +
           ", less than this program needs. Update the driver, or use --device cpu.";
  return std::string("cuda: no GPU can be used (") + cudaGetErrorString(status) +
         "). Check `nvidia-smi` and CUDA_VISIBLE_DEVICES, or use --device cpu.";
}

}  // namespace

DeviceReport device_report() {
  DeviceReport report;
  report.module = true;
  report.architectures = compiled_architectures();
  (void)cudaDriverGetVersion(&report.driver_version);
  (void)cudaRuntimeGetVersion(&report.runtime_version);
  int count = 0, before = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (status != cudaSuccess || count == 0) {
    report.problem = no_device(status == cudaSuccess ? cudaErrorNoDevice : status,
                               report.driver_version);
    return report;
  }
  check_cuda(cudaGetDevice(&before), "device list", "cudaGetDevice");
  bool usable = false;
  for (int index = 0; index < count; ++index) {
    report.devices.push_back(describe(index));
    report.devices.back().peers = links_of(index, count);
    usable |= report.devices.back().usable();
  }
  (void)cudaSetDevice(before);
  (void)cudaGetLastError();  // of one that cannot be opened
  if (!usable) report.problem = report.devices.front().problem;
  return report;
}

std::vector<std::string> device_names() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  std::vector<std::string> names;
  for (int index = 0; status == cudaSuccess && index < count; ++index) {
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, index), "device list",
               "cudaGetDeviceProperties");
    names.emplace_back(properties.name);
  }
  return names;
}

void use_device(int index) {
  int count = 0, driver_version = 0;
  (void)cudaDriverGetVersion(&driver_version);
  const cudaError_t status = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (status != cudaSuccess || count == 0)
    throw Error(
        ErrorKind::device,
        no_device(status == cudaSuccess ? cudaErrorNoDevice : status, driver_version));
  if (index < 0 || index >= count)
    throw Error(ErrorKind::device, "cuda:" + std::to_string(index) +
                                       ": no such GPU (this machine has cuda:0 .. cuda:" +
                                       std::to_string(count - 1) +
                                       "). Run `thinwire devices` for the list.");
  const DeviceInfo info = describe(index);
  if (!info.usable()) throw Error(ErrorKind::device, info.problem);
}

DeviceInfo current_device() {
  int index = 0;
  check_cuda(cudaGetDevice(&index), "current device", "cudaGetDevice");
  DeviceInfo info = unopened(index);
  check_cuda(cudaMemGetInfo(&info.free_bytes, &info.memory_bytes), "current device",
             "cudaMemGetInfo");
  if (!current_device_runs_this_build()) info.problem = no_code_for(info);
  return info;
}

int kernel_architecture() {
  // Asked at every launch, so the last answer is kept.
  thread_local int last_index = -1, last_answer = 0;
  int index = 0;
  check_cuda(cudaGetDevice(&index), "kernel architecture", "cudaGetDevice");
  if (index != last_index) {
    cudaFuncAttributes attributes;
    check_cuda(cudaFuncGetAttributes(&attributes, probe_kernel), "kernel architecture",
               "cudaFuncGetAttributes");
    last_answer = attributes.ptxVersion;
    last_index = index;
  }
  return last_answer;
}

void require_device_memory(std::size_t bytes, const char* what, std::size_t n,
                           const char* ways_out) {
  int index = 0;
  std::size_t free_bytes = 0, total = 0;
  check_cuda(cudaGetDevice(&index), what, "cudaGetDevice");
  check_cuda(cudaMemGetInfo(&free_bytes, &total), what, "cudaMemGetInfo");
  if (bytes > free_bytes)
    throw Error(ErrorKind::memory,
                std::string(what) + " needs " + bytes_text(static_cast<double>(bytes)) +
                    " but cuda:" + std::to_string(index) + " has " +
                    bytes_text(static_cast<double>(free_bytes)) +
                    " free (N = " + std::to_string(n) + "). " + ways_out);
}

DeviceStream::DeviceStream(bool urgent) {
  int least = 0, greatest = 0;
  check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest), "stream",
             "cudaDeviceGetStreamPriorityRange");
  check_cuda(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                          urgent ? greatest : least),
             "stream", "cudaStreamCreateWithPriority");
}
DeviceStream::~DeviceStream() {
  (void)cudaStreamDestroy(stream_);
}
void DeviceStream::synchronize() const {
  check_cuda(cudaStreamSynchronize(stream_), "stream", "cudaStreamSynchronize");
}
bool DeviceStream::idle() const {
  const cudaError_t status = cudaStreamQuery(stream_);
  if (status == cudaErrorNotReady) return false;
  check_cuda(status, "stream", "cudaStreamQuery");
  return true;
}

bool DeviceStream::captured() const {
  cudaStreamCaptureStatus status;
  check_cuda(cudaStreamIsCapturing(stream_, &status), "stream", "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

DeviceEvent::DeviceEvent() {
  check_cuda(cudaEventCreate(&event_), "event", "cudaEventCreate");
}
DeviceEvent::~DeviceEvent() {
  (void)cudaEventDestroy(event_);
}
void DeviceEvent::record(const DeviceStream& stream) {
  check_cuda(cudaEventRecord(event_, stream.get()), "event", "cudaEventRecord");
}
void DeviceEvent::wait() const {
  check_cuda(cudaEventSynchronize(event_), "event", "cudaEventSynchronize");
}
double DeviceEvent::seconds_since(const DeviceEvent& start) const {
  wait();
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, start.event_, event_), "event",
             "cudaEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds);
}

void* allocate_on_device(std::size_t bytes, const char* what) {
  void* memory = nullptr;
  if (bytes > 0) check_cuda(cudaMalloc(&memory, bytes), what, "cudaMalloc");
  return memory;
}
void free_on_device(void* memory) noexcept {
  // Without memory it would start the current GPU all the same.
  if (memory != nullptr) (void)cudaFree(memory);
}
void* allocate_mapped(std::size_t bytes, const char* what) {
  void* memory = nullptr;
  check_cuda(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped | cudaHostAllocPortable),
             what, "cudaHostAlloc");
  return memory;
}
void free_mapped(void* memory) noexcept {
  (void)cudaFreeHost(memory);
}
void copy_bytes(void* to, const void* from, std::size_t bytes,
                const DeviceStream& stream) {
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream.get()), "copy",
             "cudaMemcpyAsync");
}
void set_bytes(void* memory, int value, std::size_t bytes, const DeviceStream& stream) {
  check_cuda(cudaMemsetAsync(memory, value, bytes, stream.get()), "clear",
             "cudaMemsetAsync");
}

}  // namespace thinwire
