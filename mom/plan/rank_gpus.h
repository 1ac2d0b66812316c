#pragma once

#include <vector>

#include "cg/comm.h"
#include "kernels/device/device_info.h"

namespace thinwire {

/// The GPU that each rank takes for a matrix that they share, in their order; own: this
/// rank's. Of one that several take each has its part, of free memory and of
/// multiprocessors. Together: all get the same, but for what only own knows. Throws
/// Error{device} on all: GPUs of several models, which would give vectors of different
/// bits.
std::vector<DeviceInfo> gpus_of_ranks(const Comm& ranks, const DeviceInfo& own);

}  // namespace thinwire
