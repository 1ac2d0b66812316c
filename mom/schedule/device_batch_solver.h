#pragma once

#include <memory>
#include <string>

#include "mom/schedule/batch_solver.h"

namespace thinwire {

/// On the current GPU, which calls from other threads make theirs; name: as
/// Backend::name().
std::unique_ptr<BatchSolver> make_device_batch_solver(int index, std::string name);

}  // namespace thinwire
