#pragma once

#include <memory>
#include <vector>

#include "mom/systems/backend.h"

namespace thinwire {

/// GPUs that share a dense matrix or the operator of a grid: a thread and a DeviceSystem
/// or DeviceFftSystem for each (GroupSystem). weights: of their shares of a matrix.
/// Fields they share by their measured rates (FieldGroup), with the bits that one GPU
/// gives. On a lattice the first solves alone. A GPU may be named twice, for tests: it
/// then has two owners. The first is to be the calling thread's. Throws Error{device}.
std::unique_ptr<Backend> make_device_group_backend(std::vector<int> devices,
                                                   std::vector<double> weights);

}  // namespace thinwire
