#pragma once

#include <span>

#include "kernels/device/device_info.h"
#include "mom/plan/plan_input.h"

namespace thinwire {

/// Plans for the dense matrix; where `auto` may choose the solver, a fast one that fits.
/// Their solver.why says why, and shortage where memory is too short.
Plan on_cpu_by_matrix(const PlanInput& input);

/// gpus: one, or those that share the matrix.
Plan on_gpu_by_matrix(const PlanInput& input, std::span<const DeviceInfo> gpus);

/// Whether rows of tiles are enough for each GPU to have some.
bool can_share(const PlanInput& input, std::span<const DeviceInfo> gpus);

}  // namespace thinwire
