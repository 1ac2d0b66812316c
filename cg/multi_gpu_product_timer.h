#pragma once

#include <cstddef>
#include <span>

#include "kernels/base/run_times.h"
#include "kernels/matrix/tiles.h"

namespace thinwire {

/// Times of y = Z x by GPUs that share Z, one right-hand side: the whole product, and
/// what it takes of that to add up the shares' vectors.
struct MultiGpuProductTimes {
  RunTimes product, sum;
};

/// On those GPUs, with equal shares, by events on the first; random numbers. One GPU: its
/// product alone. through_host: though they may reach each other's memory. n >= 1 row of
/// tiles a GPU, repeats >= 1. Throws Error{memory}, Error{device}.
MultiGpuProductTimes time_multi_gpu_product(std::size_t n, Storage storage,
                                            std::span<const int> devices, int repeats,
                                            bool through_host = false);

}  // namespace thinwire
