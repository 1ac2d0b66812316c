#pragma once

namespace thinwire::tuning {

/// Launch constants of the papers' CUDA kernels, as kernels/device/tuning.h has the
/// solver's.

/// Sparse products: threads a block of CRS-vector, as Mukunoki and Takahashi 2013 have
/// it; blocks whose threads share all rows, eight full ones on each of an H200's
/// multiprocessors; threads that share a row in a block of the in-row product, and its
/// blocks; threads, an element each, of the segmented scan.
inline constexpr unsigned crs_threads = 128;
inline constexpr unsigned distributed_blocks = 1056;
inline constexpr unsigned in_row_threads = 128, in_row_blocks = 2112;
inline constexpr int scan_threads = 256;

/// Assembly by rows: warps, a row each, of a block.
inline constexpr int assembly_warps = 4;

}  // namespace thinwire::tuning
