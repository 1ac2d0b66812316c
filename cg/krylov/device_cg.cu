#include "cg/krylov/cg.h"

#include "cg/krylov/device_executor.cuh"

namespace thinwire::device {

std::unique_ptr<DeviceRecurrence> cg_on_device(const DeviceOperator& z,
                                               const DevicePreconditioner* m,
                                               int rhs_count, bool flexible) {
  return on_device<Cg>(z, m, rhs_count, flexible);
}

}  // namespace thinwire::device
