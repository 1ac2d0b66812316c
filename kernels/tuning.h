#pragma once

#include <cstddef>

namespace thinwire::tuning {

/// Launch constants of the CUDA kernels. Beside each: device, size, rate, date, command.

/// Symmetric product, first pass: the layout of a block's threads over a 64 x 64 tile.
/// Eight lanes lie along the columns and four along the rows; a thread owns rows x
/// columns entries and keeps the sums of its rows in registers from tile to tile.
struct SymvShape {
  int rows;           ///< of a tile, for each thread
  int columns;        ///< of a tile, for each thread
  int blocks_per_sm;  ///< resident, each with its own stages in shared memory
  int stages;         ///< tiles in flight or in use for each block, at most
  int super;          ///< tiles along the side of a super-tile
};
inline constexpr SymvShape symv_double = {16, 1, 1, 3, 16};
inline constexpr SymvShape symv_single = {16, 2, 2, 2, 16};
inline constexpr SymvShape symv_double_four = {4, 4, 1, 2, 4};
inline constexpr SymvShape symv_single_four = {4, 4, 1, 3, 4};
/// Runs of tiles for each resident block.
inline constexpr int symv_runs_per_block = 1;
/// Symmetric product, second pass: threads that share the sums of one column.
inline constexpr int symv_second_pass_groups = 16;

/// Fill: threads a block and blocks resident on a multiprocessor; 128 registers a thread.
inline constexpr int fill_threads = 256;
inline constexpr int fill_blocks_per_sm = 2;
/// Near pairs, a thread each: few a block, so that few pairs spread over all
/// multiprocessors.
inline constexpr int near_pair_threads = 64;

/// Far field: threads a block, directions a thread, and blocks wanted in all.
inline constexpr int far_field_threads = 128;
inline constexpr int far_field_directions = 2;
inline constexpr std::size_t far_field_blocks = 2112;

/// Vector kernels of the solvers: threads a block, and blocks at most.
inline constexpr int vector_threads = 256;
inline constexpr int vector_blocks = 264;
/// The block preconditioner, a warp for each unknown: blocks at most.
inline constexpr int precondition_blocks = 2048;

/// LDL^T: columns of a panel (a power of two times 64), and columns of one update.
inline constexpr std::size_t ldlt_panel = 512;
inline constexpr std::size_t ldlt_columns = 2048;

/// Iterations in the body of the solvers' WHILE node, and iterations between two returns
/// to the host.
inline constexpr int graph_unroll = 4;
inline constexpr int graph_span = 256;

}  // namespace thinwire::tuning
