#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cg/comm.h"
#include "kernels/device/device_info.h"

namespace thinwire {

/// The GPUs that ranks take, one each, in their order. Of one that several take each has
/// its part, of free memory and of multiprocessors.
struct RankGpus {
  std::vector<DeviceInfo> gpus;
  std::size_t unlike = 0;  ///< the first with another model than rank 0 has; 0: none
};

/// own: this rank's. Together: all get the same, but for what only own knows.
RankGpus gpus_of_ranks(const Comm& ranks, const DeviceInfo& own);

/// For a matrix that they share. Throws Error{device}: GPUs of several models, which
/// would give vectors of different bits.
void require_one_model(const RankGpus& of);

/// By the names of a host's GPUs, this one and all like it, from it on and round; it
/// alone where it is not there.
std::vector<int> gpus_like(int index, std::span<const std::string> names);

}  // namespace thinwire
