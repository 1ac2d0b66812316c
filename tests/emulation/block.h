#pragma once

#include <vector_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>

/// A block of threads on one thread of the CPU. Its lanes are fibers, which take turns
/// where they wait for each other; the blocks of a grid run one after another. A kernel
/// whose blocks wait for other blocks of its own grid therefore hangs.
namespace emulation {

/// threadIdx, blockIdx, blockDim and gridDim of a kernel.
struct Lane {
  uint3 thread, block;
  dim3 block_dim, grid_dim;
  unsigned number;  // in its block
};
/// The one that runs.
Lane& lane();

/// The dynamic shared memory of the block that runs, aligned to 1024 bytes.
void* dynamic_shared();

/// Joint result of a block's lanes.
struct Votes {
  int any, all, count;
};
/// Waits for the lanes of the block that have not returned.
Votes sync_block(bool mine);

/// Values of the lanes of a warp; `arrived` has a bit for each lane that gave one.
struct WarpValues {
  const std::uint64_t* of_lane;
  unsigned arrived;
};
/// Waits for the lanes of `mask` that have not returned. Valid until the lane waits
/// again.
WarpValues exchange(unsigned mask, std::uint64_t mine);

/// Calls `kernel` once a lane of a grid.
void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes,
              const std::function<void()>& kernel);

}  // namespace emulation
