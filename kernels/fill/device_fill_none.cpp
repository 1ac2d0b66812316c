// What stands in for device_fill.cu and device_near_pairs.cu in a build without CUDA.
#if !defined(THINWIRE_WITH_CUDA)

#include "kernels/device/no_cuda.h"
#include "kernels/fill/device_fill.h"

namespace thinwire {

DeviceNearPairs::DeviceNearPairs(const Element*, std::span<const Element>, GreensKernel,
                                 bool, double, const DeviceStream&) {
  throw_no_cuda();
}
void DeviceNearPairs::tabulate(const WavenumberNodes&, const DeviceStream&) {
  throw_no_cuda();
}
std::size_t DeviceNearPairs::table_bytes(const WavenumberNodes&) const {
  throw_no_cuda();
}
void DeviceNearPairs::set_wavenumber(double, const DeviceStream&) {
  throw_no_cuda();
}

struct DeviceFill::Parts {};
DeviceFill::DeviceFill(std::span<const Element>, std::span<const BasisFunction>,
                       GreensKernel, bool, double) {
  throw_no_cuda();
}
DeviceFill::~DeviceFill() = default;
bool DeviceFill::tabulate_near_pairs(WavenumberRange, std::size_t) {
  throw_no_cuda();
}
void DeviceFill::set_wavenumber(double) {
  throw_no_cuda();
}
void DeviceFill::fill(DeviceTiles&, bool, const DeviceStream&) const {
  throw_no_cuda();
}
void DeviceFill::multiply(const Complex*, Complex*, bool, const DeviceStream&) const {
  throw_no_cuda();
}
std::size_t DeviceFill::unknowns() const {
  throw_no_cuda();
}
std::size_t DeviceFill::near_pairs() const {
  throw_no_cuda();
}
std::size_t DeviceFill::bytes() const {
  throw_no_cuda();
}

void add_updates(DeviceTiles&, std::span<const MatrixUpdate>, const DeviceStream&) {
  throw_no_cuda();
}

}  // namespace thinwire

#endif
