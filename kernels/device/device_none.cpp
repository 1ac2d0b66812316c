// What stands in for device.cu in a build without CUDA.
#if !defined(THINWIRE_WITH_CUDA)

#include "kernels/device/device.h"

#include "kernels/base/error.h"
#include "kernels/device/no_cuda.h"

namespace thinwire {

DeviceReport device_report() {
  DeviceReport report;
  report.problem = no_cuda_text;
  return report;
}

void use_device(int) {
  throw_no_cuda();
}
DeviceInfo current_device() {
  throw_no_cuda();
}
int kernel_architecture() {
  throw_no_cuda();
}
void require_device_memory(std::size_t, const char*, std::size_t, const char*) {
  throw_no_cuda();
}

DeviceStream::DeviceStream() {
  throw_no_cuda();
}
DeviceStream::~DeviceStream() = default;
void DeviceStream::synchronize() const {
  throw_no_cuda();
}
bool DeviceStream::idle() const {
  throw_no_cuda();
}

DeviceEvent::DeviceEvent() {
  throw_no_cuda();
}
DeviceEvent::~DeviceEvent() = default;
void DeviceEvent::record(const DeviceStream&) {
  throw_no_cuda();
}
void DeviceEvent::wait() const {
  throw_no_cuda();
}
double DeviceEvent::seconds_since(const DeviceEvent&) const {
  throw_no_cuda();
}

void* allocate_on_device(std::size_t, const char*) {
  throw_no_cuda();
}
void free_on_device(void*) noexcept {}
void* allocate_mapped(std::size_t, const char*) {
  throw_no_cuda();
}
void free_mapped(void*) noexcept {}
void copy_bytes(void*, const void*, std::size_t, const DeviceStream&) {
  throw_no_cuda();
}
void set_bytes(void*, int, std::size_t, const DeviceStream&) {
  throw_no_cuda();
}

}  // namespace thinwire

#endif
