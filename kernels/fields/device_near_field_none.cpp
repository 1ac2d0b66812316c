// What stands in for device_near_field.cu in a build without CUDA.
#if !defined(THINWIRE_WITH_CUDA)

#include "kernels/device/no_cuda.h"
#include "kernels/fields/device_near_field.h"

namespace thinwire {

void device_electric_field(const NearFieldSources&, std::span<const Vec3>, double,
                           std::span<Complex>) {
  throw_no_cuda();
}

void device_magnetic_field(const NearFieldSources&, std::span<const Vec3>, double,
                           std::span<Complex>) {
  throw_no_cuda();
}

}  // namespace thinwire

#endif
