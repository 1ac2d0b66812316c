#pragma once

#include "kernels/device/device_info.h"
#include "mom/plan/choose_device.h"

namespace thinwire {

/// Solving without the dense matrix, on the CPU or on a GPU: shortage says where that
/// does not fit.

/// By the lattice of `where`, which has one.
DeviceChoice on_cpu_by_lattice(const Discretization& where, const Options& options,
                               const Workload& work, int threads);
/// share: the GPU's multiprocessors over those of the GPU that was measured.
DeviceChoice on_gpu_by_lattice(const Discretization& where, const Options& options,
                               const Workload& work, int threads, const DeviceInfo& info,
                               double share);

/// By a grid and a near field. Whole antennas: COCG; else GMRES, as grids need. Throws
/// what plan_fft does.
DeviceChoice on_cpu_by_grid(const Discretization& where, const ProblemSize& size,
                            const Options& options, const Workload& work, int threads);

/// Chooses with near field and products on the GPU; all else stays on the CPU.
DeviceChoice on_gpu_by_grid(const Discretization& where, const ProblemSize& size,
                            const Options& options, const Workload& work,
                            const DeviceInfo& info, double share);

}  // namespace thinwire
