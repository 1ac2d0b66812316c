#pragma once

#include <vector_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>

/// A block of threads on one thread of the CPU. Its lanes are fibers, which take turns
/// where they wait for each other; the blocks of a grid run one after another. A kernel
/// whose blocks wait for other blocks of its own grid therefore hangs.
namespace emulation {

/// What a kernel knows as threadIdx, blockIdx, blockDim and gridDim.
struct Lane {
  uint3 thread, block;
  dim3 block_dim, grid_dim;
  unsigned number;  // in its block
};
/// The one that runs.
Lane& lane();

/// The dynamic shared memory of the block that runs, aligned to 1024 bytes.
void* dynamic_shared();

/// What a block's lanes say together.
struct Votes {
  int any, all, count;
};
/// Waits for the lanes of the block that have not returned.
Votes sync_block(bool mine);

/// What each lane of a warp gave; `arrived` has a bit for each that gave anything.
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
