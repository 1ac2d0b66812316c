#include "cg/krylov/cocg.h"

#include "cg/krylov/device_machine.cuh"

namespace thinwire::device {

std::unique_ptr<DeviceRecurrence> cocg_on_device(const DeviceOperator& z,
                                                 const DevicePreconditioner* m, int sides,
                                                 bool flexible) {
  return on_device<Cocg>(z, m, sides, flexible);
}

}  // namespace thinwire::device
