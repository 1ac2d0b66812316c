#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/fill/fill.h"
#include "kernels/matrix/matrix_update.h"
#include "kernels/matrix/tiles.h"
#include "mom/preconditioners/coarse_matrix.h"

namespace thinwire {

/// Entries of Z for device_coarse_matrix.
struct DeviceCoarseInput {
  const DeviceFill& fill;  ///< at this wave number
  double k_rad_per_m = 0;
  Medium medium;
  std::span<const std::uint32_t> place;  ///< of each function among the fill's
  std::span<const MatrixUpdate> loads;   ///< beyond the fill
};

/// coarse_matrix on the GPU: the same lumps in TF32, near functions from entries that
/// DeviceFill computes. The same bits every time. Returns tiles of complex single. Throws
/// Error{device} where the GPU has no tensor cores for TF32 (compute capability below
/// 8.0), Error{memory} and what the monitor throws.
DeviceTiles device_coarse_matrix(const CoarseSpace& space,
                                 const CoarseCouplings& couplings,
                                 const DeviceCoarseInput& input,
                                 const Monitor& monitor = {});

}  // namespace thinwire
