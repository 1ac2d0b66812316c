#pragma once

#include <memory>
#include <vector>

#include "mom/system/backend.h"

namespace thinwire {

/// GPUs that share a dense matrix: a thread and a DeviceSystem for each (GroupSystem). On
/// a lattice, on a grid, and for fields the first works alone. weights: of their shares.
/// A GPU may be named twice, for tests: it then has two owners. The first is to be the
/// calling thread's. Throws Error{device}.
std::unique_ptr<Backend> make_device_group_backend(std::vector<int> devices,
                                                   std::vector<double> weights);

}  // namespace thinwire
