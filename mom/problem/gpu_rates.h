#pragma once

namespace thinwire {

/// How fast a GPU is: what times there are predicted from, as CpuRates are for a CPU.
/// Those of an H200 (docs/measurements/performance.md); other GPUs are weighed by their
/// multiprocessors.
struct GpuRates {
  double fill_entries_per_s = 9.2e9;  ///< of the matrix, far pairs
  double bytes_per_s = 4.5e12;        ///< of a matrix, factors or vectors
  double tf32_flops_per_s = 1.4e14;   ///< products of LDL^T with factors in TF32
  double single_flops_per_s = 4e13;   ///< products of large blocks in complex single
  double field_terms_per_s = 5.9e10;  ///< of the far field
  double copied_bytes_per_s = 3.5e9;  ///< to the host and back
  double multiprocessors = 132;
  // Whatever the GPU's width.
  double launch_s = 6.5e-6;  ///< a kernel, and its ends
  double panel_s = 1.2e-3;   ///< the inversion of a panel's block of LDL^T
  double stage_s = 2e-3;     ///< memory and libraries of a fill, of factors, of a solve
  double start_s = 0.45;     ///< the first use in a process
};
inline constexpr GpuRates h200;

}  // namespace thinwire
