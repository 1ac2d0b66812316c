#pragma once

#include <cuda.h>

#include "kernels/device/bulk_copy.cuh"
#include "kernels/matrix/packed_tiles.h"
#include "kernels/matrix/symv_second_pass.cuh"

namespace thinwire::device {

/// Where the tiles of the symmetric product's first pass come from. A shape S (symv.cu)
/// says
///   Entry, RhsCount      entries of the matrix, right-hand sides
///   super             tiles along a side of a super-tile
///   threads, stages   of a block; a stage holds a tile
///   swizzled          whether a tile's 16-byte units are spread over the banks
///                     (SwizzledTile), or its rows lie as in memory

inline constexpr int symv_tile = PackedTiles::tile;

struct FirstPass {
  CUtensorMap tiles;  // of z, for swizzled stages
  const void* z;
  std::size_t first_tile;  // number of that at z
  const double2* x;
  std::size_t x_stride;  // from one right-hand side to the next
  double2* parts;
  SuperTiles order;
  std::size_t runs;
  const int* skip;
};

/// Where a run of tiles stands.
template <unsigned S>
struct TileCursor {
  unsigned first_row, rows;  // of tiles
  unsigned position, end;    // in the order of the runs
  unsigned q, b, i, j;       // super-tile and tile
  bool row_starts;           // whether the run enters a row of a super-tile here
  bool super_ends;           // whether the step before left a super-tile

  __device__ TileCursor(const SuperTiles& order, unsigned first, unsigned last)
      : first_row(static_cast<unsigned>(order.first_row)),
        rows(static_cast<unsigned>(order.rows)),
        position(first),
        end(last),
        row_starts(true),
        super_ends(false) {
    // Super-tile rows begin with the same tile as in the order of storage.
    const unsigned number = first + first_row * (first_row + 1) / 2;
    auto row = static_cast<unsigned>((sqrtf(8.0f * static_cast<float>(number)) - 1) / 2);
    while (std::size_t{row} * (row + 1) / 2 > number) --row;
    while (std::size_t{row + 1} * (row + 2) / 2 <= number) ++row;
    q = row / S;
    const auto in_group = first - static_cast<unsigned>(order.first(q, 0));
    const unsigned full = (bottom() - top()) * S;
    b = min(in_group / full, q);
    unsigned rest = in_group - b * full;
    i = top();
    if (b < q) {
      i += rest / S;
      rest %= S;
    } else {
      for (unsigned length = i - q * S + 1; rest >= length; ++length, ++i) rest -= length;
    }
    j = b * S + rest;
  }
  __device__ bool done() const { return position >= end; }
  __device__ std::size_t tile_number() const { return std::size_t{i} * (i + 1) / 2 + j; }
  /// Number of the super-tile.
  __device__ std::size_t super_number() const { return std::size_t{q} * (q + 1) / 2 + b; }
  __device__ void next() {
    ++position;
    ++j;
    row_starts = j > i || j == (b + 1) * S;
    super_ends = false;
    if (!row_starts) return;
    ++i;
    j = b * S;
    super_ends = i == bottom();
    if (!super_ends) return;
    if (++b > q) {
      ++q;
      b = 0;
    }
    i = top();
    j = b * S;
  }

 private:
  __device__ unsigned top() const { return max(q * S, first_row); }
  __device__ unsigned bottom() const { return min(rows, (q + 1) * S); }
};

/// The run of this block.
template <unsigned S>
__device__ inline TileCursor<S> start_of_run(const FirstPass& args) {
  const std::size_t tiles = args.order.tiles();
  return {args.order,
          static_cast<unsigned>(first_tile_of_run(blockIdx.x, tiles, args.runs)),
          static_cast<unsigned>(first_tile_of_run(blockIdx.x + 1, tiles, args.runs))};
}

/// A tile for the threads, x of its columns, and where a row starts x of its rows.
template <class S>
struct TileView {
  const typename S::Entry* entries;
  const double2 *x_rows, *x_columns;
  std::size_t x_stride;  // from one right-hand side to the next
};

/// A tile in shared memory as the copy engine swizzles it: columns of 128 bytes, one
/// after the other, and in each the eight 16-byte units of a row permuted by the row, so
/// that eight rows of one column lie in eight different banks.
template <class Entry>
struct SwizzledTile {
  static constexpr int columns = symv_tile * sizeof(Entry) / 128;

  __device__ static const Entry* at(const Entry* tile, int row, int column) {
    const int byte = column * static_cast<int>(sizeof(Entry)), unit = byte % 128 / 16;
    return reinterpret_cast<const Entry*>(reinterpret_cast<const char*>(tile) +
                                          byte / 128 * (symv_tile * 128) + row * 128 +
                                          (unit ^ (row & 7)) * 16 + byte % 16);
  }
};

/// Tiles read from where they lie: for GPUs without bulk copies or with little shared
/// memory.
template <class S>
class DirectTiles {
 public:
  static constexpr int bytes = 0;
  using Cursor = TileCursor<S::super>;
  static_assert(!S::swizzled);

  __device__ DirectTiles(const FirstPass& args, unsigned char*, const Cursor&)
      : args_(args) {}
  __device__ void start_x(const Cursor&) const {}
  __device__ void drain() const {}
  __device__ TileView<S> wait(const Cursor& at) const {
    const auto* z = static_cast<const typename S::Entry*>(args_.z);
    return {z + (at.tile_number() - args_.first_tile) * (symv_tile * symv_tile),
            args_.x + std::size_t{at.i} * symv_tile,
            args_.x + std::size_t{at.j} * symv_tile, args_.x_stride};
  }
  __device__ void release() const {}

 private:
  const FirstPass& args_;
};

/// Tiles in the stages of a block in shared memory, with the copies under way to them.
/// One thread starts the copies.
template <class S>
class StagedTiles {
  using Entry = typename S::Entry;
  static constexpr int stages = S::stages;
  static constexpr int tile_bytes = symv_tile * symv_tile * sizeof(Entry);
  static constexpr int side_bytes = symv_tile * sizeof(double2);
  static constexpr int x_bytes =
      2 * S::RhsCount * side_bytes;  // of rows, then of columns

 public:
  static constexpr int bytes =
      stages * (tile_bytes + x_bytes + 2 * static_cast<int>(sizeof(std::uint64_t)));
  using Cursor = TileCursor<S::super>;

  /// Starts to copy the matrix, and nothing else. shared: [bytes], aligned to 1 KiB.
  __device__ StagedTiles(const FirstPass& args, unsigned char* shared,
                         const Cursor& start)
      : args_(args),
        tiles_(shared),
        x_(shared + stages * tile_bytes),
        full_(reinterpret_cast<std::uint64_t*>(x_ + stages * x_bytes)),
        empty_(full_ + stages),
        ahead_(start) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      for (int s = 0; s < stages; ++s) {
        barrier_init(full_ + s, 1);
        barrier_init(empty_ + s, S::threads);
      }
      barrier_init_fence();
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (; copied_ < stages && !ahead_.done(); ++copied_) {
      copy_entries(copied_);
      ahead_.next();
    }
#endif
  }

  /// Starts the copies of x that the constructor left out. start: as there.
  __device__ void start_x(const Cursor& start) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x != 0) return;
    Cursor tile = start;
    for (int s = 0; s < copied_; ++s) {
      copy_x(s, tile);
      tile.next();
    }
#endif
  }

  /// Waits for every copy started, before a block that does nothing ends.
  __device__ void drain() {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x != 0) return;
    for (int s = 0; s < copied_; ++s) barrier_wait(full_ + s, 0);
#endif
  }

  /// Waits for the next tile.
  __device__ TileView<S> wait(const Cursor&) const {
#if __CUDA_ARCH__ >= 900
    barrier_wait(full_ + stage_, parity_);
#endif
    const auto* x = reinterpret_cast<const double2*>(x_ + stage_ * x_bytes);
    return {reinterpret_cast<const Entry*>(tiles_ + stage_ * tile_bytes), x,
            x + S::RhsCount * symv_tile, symv_tile};
  }

  /// To be called by every thread when it is done with the tile. One arrival for each
  /// warp would do, but costs the same, and compute-sanitizer's racecheck does not follow
  /// the order that __syncwarp gives.
  __device__ void release() {
#if __CUDA_ARCH__ >= 900
    barrier_arrive(empty_ + stage_);
    if (threadIdx.x == 0 && !ahead_.done()) {
      barrier_wait(empty_ + stage_, parity_);
      copy_entries(stage_);
      copy_x(stage_, ahead_);
      ahead_.next();
    }
    __syncwarp();
    if (++stage_ == stages) {
      stage_ = 0;
      parity_ ^= 1;
    }
#endif
  }

 private:
#if __CUDA_ARCH__ >= 900
  __device__ void copy_entries(int stage) {
    unsigned char* to = tiles_ + stage * tile_bytes;
    barrier_arrive_expect(full_ + stage,
                          tile_bytes + (ahead_.row_starts ? x_bytes : x_bytes / 2));
    const std::size_t tile = ahead_.tile_number() - args_.first_tile;
    if constexpr (S::swizzled)
      tensor_load_once(to, &args_.tiles, static_cast<int>(tile * symv_tile),
                       full_ + stage);
    else
      bulk_load_once(to, static_cast<const unsigned char*>(args_.z) + tile * tile_bytes,
                     tile_bytes, full_ + stage);
  }
  __device__ void copy_x(int stage, const Cursor& tile) {
    copy_block_of_x(stage, S::RhsCount, tile.j);
    if (tile.row_starts) copy_block_of_x(stage, 0, tile.i);
  }
  __device__ void copy_block_of_x(int stage, int side, unsigned block) {
    unsigned char* to = x_ + stage * x_bytes + side * side_bytes;
    for (int s = 0; s < S::RhsCount; ++s)
      bulk_load(to + s * side_bytes,
                args_.x + s * args_.x_stride + std::size_t{block} * symv_tile, side_bytes,
                full_ + stage);
  }
#endif

  const FirstPass& args_;
  unsigned char *tiles_, *x_;
  std::uint64_t *full_, *empty_;
  Cursor ahead_;    // the next tile to copy
  int copied_ = 0;  // stages that the constructor filled
  int stage_ = 0;   // of the next tile to use
  unsigned parity_ = 0;
};

}  // namespace thinwire::device
