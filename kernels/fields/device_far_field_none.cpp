// What stands in for device_far_field.cu in a build without CUDA.
#if !defined(THINWIRE_WITH_CUDA)

#include "kernels/device/no_cuda.h"
#include "kernels/fields/device_far_field.h"

namespace thinwire {

void device_far_field(const CurrentMoments&, std::span<const Direction>, double,
                      std::span<Complex>, std::span<Complex>) {
  throw_no_cuda();
}

}  // namespace thinwire

#endif
