#include "cg/krylov/cg.h"
#include "cg/krylov/cocg.h"
#include "cg/krylov/cocr.h"
#include "cg/krylov/device_executor.cuh"
#include "cg/krylov/gmres.h"

namespace thinwire::device {
namespace {

template <template <class> class Solver>
std::unique_ptr<DeviceRecurrence> on_device(const DeviceOperator& z,
                                            const DevicePreconditioner* m, int rhs_count,
                                            bool flexible) {
  if (rhs_count == 1)
    return std::make_unique<OnDevice<Solver, 1>>(z, m, rhs_count, flexible);
  return std::make_unique<OnDevice<Solver, DeviceOperator::max_rhs_count>>(
      z, m, rhs_count, flexible);
}

}  // namespace

std::unique_ptr<DeviceRecurrence> make_recurrence(Recurrence recurrence,
                                                  const DeviceOperator& z,
                                                  const DevicePreconditioner* m,
                                                  int rhs_count, bool flexible) {
  switch (recurrence) {
    case Recurrence::cg:
      return on_device<Cg>(z, m, rhs_count, flexible);
    case Recurrence::cocr:
      return on_device<Cocr>(z, m, rhs_count, flexible);
    case Recurrence::gmres:
      return on_device<Gmres>(z, m, rhs_count, flexible);
    case Recurrence::cocg:
      return on_device<Cocg>(z, m, rhs_count, flexible);
    case Recurrence::automatic:
    case Recurrence::direct:
      break;
  }
  throw no_iterative_solver(recurrence);
}

}  // namespace thinwire::device
