#pragma once

#include "kernels/device/device_info.h"
#include "mom/plan/plan_input.h"

namespace thinwire {

/// Plans without the dense matrix, on the CPU or on a GPU: shortage says where that does
/// not fit. share: the GPU's multiprocessors over those of the GPU that was measured.

/// By the lattice of the mesh, which has one.
Plan on_cpu_by_lattice(const PlanInput& input);
Plan on_gpu_by_lattice(const PlanInput& input, const DeviceInfo& info, double share);

/// By a grid and a near field. Whole antennas: COCG; else GMRES, as grids need. Throws
/// what plan_fft does.
Plan on_cpu_by_grid(const PlanInput& input);
/// Near field and products on the GPU; all else stays on the CPU.
Plan on_gpu_by_grid(const PlanInput& input, const DeviceInfo& info, double share);

}  // namespace thinwire
