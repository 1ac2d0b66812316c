#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/device/device_info.h"
#include "mom/plan/plan_input.h"

namespace thinwire {

/// Common parts of all choices of where and how to solve.

/// Puts a reason before those that the plan has; empty: none.
void add_reason(SolverPlan& plan, const std::string& reason);

/// Seconds for all the work, fields included.
double predicted_seconds(const Plan& plan, const Workload& work);

/// Sets Plan::shortage where what the plan needs of the GPU or of the host is more than
/// what is free there: need, free, n and ways out on one line. device_free: not looked at
/// for the CPU.
void state_shortage(Plan& plan, std::size_t device_free, std::size_t host_free,
                    const PlanInput& input);

/// Whether interpolating the matrix between frequencies pays on the CPU, where it can be
/// done (kernels/fill/matrix_sweep.h).
bool interpolates_matrix(const Workload& work);

/// Predicted seconds of all patterns and near fields; the CPU has its part in some of
/// those on a GPU.
double field_seconds_on_cpu(const PlanInput& input);
double field_seconds_on_gpu(const PlanInput& input, double share);

/// Near pairs that host_bytes() has for each element of a mesh without a lattice.
inline constexpr std::size_t near_bytes_an_element = 1800;

/// Memory of the results while the HDF5 file is made, over their own bytes: 3.4 to 4.1
/// for patterns, 3 for waves.
inline constexpr double result_copies = 3.5;

/// The program and its libraries.
inline constexpr std::size_t program_bytes = std::size_t{40} << 20;

/// Bytes on the host where Z and the solver's arrays take `solver_bytes` there: with the
/// program and its libraries, the mesh and its near pairs, excitations and currents, and
/// the results, which stand there result_copies times while the file is made. With
/// --save-matrix the whole matrix, or, where Options::matrix_sink takes it, so many bands
/// of 64 rows: a dense one in tiles needs the band, its tiles, and a rank's part of
/// these. The whole matrix for WG, too.
std::size_t host_bytes(const PlanInput& input, std::size_t solver_bytes, int bands = 3);

/// Plans for the dense matrix; where `auto` may choose the solver, a fast one that fits.
/// Their solver.why says why, and shortage where memory is too short.
Plan on_cpu_by_matrix(const PlanInput& input);

/// gpus: one, or those that share the matrix.
Plan on_gpu_by_matrix(const PlanInput& input, std::span<const DeviceInfo> gpus);

/// Whether rows of tiles are enough for each GPU to have some.
bool can_share(const PlanInput& input, std::span<const DeviceInfo> gpus);

/// Plans without the dense matrix, on the CPU or on a GPU: shortage says where that does
/// not fit. share: the GPU's multiprocessors over those of the GPU that was measured.

/// By the lattice of the mesh, which has one.
Plan on_cpu_by_lattice(const PlanInput& input);
Plan on_gpu_by_lattice(const PlanInput& input, const DeviceInfo& info, double share);

/// By a grid and a near field. Whole antennas: COCG; else GMRES, as grids need. Throws
/// what plan_fft does.
Plan on_cpu_by_grid(const PlanInput& input);
/// Near field and products on the GPU, or shared by several; all else stays on the CPU.
Plan on_gpu_by_grid(const PlanInput& input, std::span<const DeviceInfo> gpus);

}  // namespace thinwire
