#pragma once

#include <span>

#include "kernels/device/device_info.h"
#include "mom/plan/choose_device.h"

namespace thinwire {

/// The choices for the dense matrix; where `auto` may choose the solver, a fast one that
/// fits. Their plan.why says why, and shortage where memory is too short.
DeviceChoice on_cpu_by_matrix(const Discretization& where, const ProblemSize& size,
                              const Options& wanted, const Workload& work, int threads);
/// gpus: one, or those that share the matrix.
DeviceChoice on_gpu_by_matrix(const Discretization& where, const ProblemSize& size,
                              const Options& wanted, const Workload& work, int threads,
                              std::span<const DeviceInfo> gpus);

/// Whether rows of tiles are enough for each GPU to have some.
bool can_share(const Discretization& where, std::span<const DeviceInfo> gpus);

}  // namespace thinwire
