#include "cg/krylov/cocg.h"

#include "cg/krylov/device_executor.cuh"

namespace thinwire::device {

std::unique_ptr<DeviceRecurrence> cocg_on_device(const DeviceOperator& z,
                                                 const DevicePreconditioner* m,
                                                 int rhs_count, bool flexible) {
  return on_device<Cocg>(z, m, rhs_count, flexible);
}

}  // namespace thinwire::device
