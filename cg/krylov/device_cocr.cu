#include "cg/krylov/cocr.h"

#include "cg/krylov/device_machine.cuh"

namespace thinwire::device {

std::unique_ptr<DeviceRecurrence> cocr_on_device(const DeviceOperator& z,
                                                 const DevicePreconditioner* m, int sides,
                                                 bool flexible) {
  return on_device<Cocr>(z, m, sides, flexible);
}

}  // namespace thinwire::device
