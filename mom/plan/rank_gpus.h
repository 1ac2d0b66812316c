#pragma once

#include <vector>

#include "kernels/device/device_info.h"
#include "mom/options.h"

namespace thinwire {

/// The GPU that each of Options::ranks takes for a matrix that they share, in their
/// order; of one that several take each has its part of the free memory. Together: all
/// get the same. Throws Error{device} on all: GPUs of several models, which would give
/// vectors of different bits; on the rank itself what Gpu::use does.
std::vector<DeviceInfo> gpus_of_ranks(const Options& options);

}  // namespace thinwire
