// What stands in for device_two_level.cu in a build without CUDA.
#if !defined(THINWIRE_WITH_CUDA)

#include "cg/precondition/device_two_level.h"
#include "kernels/device/no_cuda.h"

namespace thinwire {

DeviceTwoLevelPreconditioner::DeviceTwoLevelPreconditioner(const DeviceTiles& z,
                                                           std::span<const IndexSet> sets,
                                                           int)
    : DeviceBlockPreconditioner(z, sets) {
  throw_no_cuda();
}
std::size_t DeviceTwoLevelPreconditioner::bytes() const {
  throw_no_cuda();
}
std::size_t DeviceTwoLevelPreconditioner::bytes(std::span<const IndexSet>, int) {
  throw_no_cuda();
}

}  // namespace thinwire

#endif
