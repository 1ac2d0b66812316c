#pragma once

#include <cstddef>

namespace thinwire::tuning {

/// Launch constants of the CUDA kernels. Beside each: device, size, rate, date, command.

/// Symmetric product, first pass over 64 x 64 tiles.
struct SymvShape {
  int rows;           ///< of a tile, for each thread (one side)
  int blocks_per_sm;  ///< resident, each with its own stages in shared memory
  int stages;         ///< tiles in flight or in use for each block, at most
  int super;          ///< tiles along the side of a super-tile
};
// NVIDIA H200, 2026-11-21, `tests/bench/gpu BUILD product`; TB/s of stored bytes.
// Complex double, N = 8,192 / 32,768 / 131,072: 4.17 / 4.56 / 4.59. Beside 44.0, 129.7,
// 480 and 1888 us at 4,096 to 32,768: two stages 44.0, 129.8, 481, 1901; super-tiles of
// 8 41.6, 130.7, 486, 1930; 8 rows a thread 44.4, 130.4, 482, 1901. Stages of 16 or 32
// KiB instead of a tile's 64: 147 and 141 us at 8,192 where whole tiles gave 137, for the
// copy engine streams shorter pieces 4 % slower. x of the rows with every tile instead of
// where a row starts: 132.0 us at 8,192; from L2 where a row ends: 139 for 137.
inline constexpr SymvShape symv_double = {16, 1, 3, 16};
// Complex single, the same N: 3.63 / 4.36 / 4.45. A stage refilled one piece later: 1054
// us at 32,768 where 1025 was best then.
inline constexpr SymvShape symv_single = {16, 2, 2, 16};
// Four right-hand sides, the same N: 1.10, 1.09 and 1.07 times one, in complex
// single 1.54, 1.48 and 1.50. Without tensor cores 169 us at 8,192 and 2438 at 32,768 in
// complex double, where these take 143 and 2054; with x of the rows once for each tile
// 2060. Complex single with 512 threads, two warps to each eight columns: 1627 us at
// 32,768 where 256 take 1460: not for want of warps, then; the conversions may take the
// products' pipe.
inline constexpr SymvShape symv_double_four = {64, 1, 2, 16};
inline constexpr SymvShape symv_single_four = {64, 1, 3, 16};
/// Threads per block for four right-hand sides in both: a warp for each eight columns of
/// a tile.
inline constexpr int symv_four_threads = 256;
/// Runs of tiles for each resident block. More cost: the pipeline fills anew and sums
/// leave the chip more often. H200, 2026-11-21, `thinwire tune --n 4095`: 44.7 us with
/// one, 50.0 with two, 61.4 with four.
inline constexpr int symv_runs_per_block = 1;
/// Symmetric product, second pass: threads that share the sums of one column. 4, 8 and 16
/// differ by less than 1 us at N = 8,192. H200, 2026-11-21: beside the first pass alone
/// it takes 2 us there, 7 at 32,768.
inline constexpr int symv_second_pass_groups = 16;

/// Fill: threads a block and blocks resident on a multiprocessor; 128 registers a thread.
/// H200, 2026-11-21, `gpu_solve fill 39 42 52 63`: 8.7e9 entries/s, N = 32,760 in 62 ms,
/// 65,520 in 247 ms; before the rules of 2 and 3 points were unrolled over the points of
/// one element, 5.8e9.
inline constexpr int fill_threads = 256;
inline constexpr int fill_blocks_per_sm = 2;
/// Pairs of elements whose matrices stand in shared memory at a time: with the tile of
/// 64 KiB beside them, two blocks fit on a multiprocessor.
inline constexpr int fill_batch_pairs = 512;
/// Near pairs, a thread for each that is parallel, a warp for each that is not: few a
/// block, so that few pairs spread over all multiprocessors. The same run: 67,158 pairs
/// found in 4.1 ms, integrated in 0.3 ms. `gpu_solve sweep 10 10`: 12,200 pairs, among
/// them skew tubes five radii apart, in 0.7 ms; with a thread for those, too, 11.3 ms,
/// with whole pieces for the threads of a warp, and not points, 1.9 ms.
inline constexpr int near_pair_threads = 64;

/// Table of a real ground: threads a block that fits a box of 12 x 12 nodes, three sums
/// each; threads of a block that cuts one into cells, four a cell, and blocks that share
/// a box's cells when they are written. H200, 2026-11-22, `gpu_solve table`: 2.7 to 6.3
/// ms, fresh water 11.4, all distances up to 10 wavelengths, copied to the host.
inline constexpr int box_fit_threads = 192;
inline constexpr int box_cut_threads = 128, box_write_blocks = 4;

/// Far field: threads a block, directions a thread, pieces of wire in shared memory at a
/// time, and blocks wanted in all. H200, 2026-11-22, `gpu_solve pattern 39 42`: 65,160
/// directions of N = 32,760 (34,398 pieces) in 15 ms with both copies.
inline constexpr int far_field_threads = 128;
inline constexpr int far_field_directions = 2;
inline constexpr int far_field_staged = 64;
inline constexpr std::size_t far_field_blocks = 8448;

/// Near field: threads a block, elements in shared memory at a time and blocks wanted in
/// all for the sources that are not close; threads a block for those that are, a warp for
/// each observer. H200, 2026-11-21, `gpu_solve nearfield 20 20 39 42`: 10,000 points of N
/// = 32,760 (34,398 elements) in 20.8 ms (E) and 18.7 ms (H) with both copies, 6.6e10 and
/// 7.4e10 terms/s; hardly less where none is close.
inline constexpr int near_field_threads = 128;
inline constexpr int near_field_staged = 16;
inline constexpr std::size_t near_field_blocks = 2112;
inline constexpr int near_field_close_threads = 256;

/// Vector kernels of the solvers: threads a block, and blocks at most (two for each of an
/// H200's multiprocessors). COCG's iteration takes 5.5 us (graph) and 7.5 us (resident)
/// beyond the product at N = 8,192 (H200, 2026-11-21, `tests/bench/gpu BUILD solvers`).
inline constexpr int vector_threads = 256;
inline constexpr int vector_blocks = 264;
/// GMRES's dot products with its basis: vectors that a block takes at a time, entries of
/// them at least, and blocks; blocks of the sums over the basis.
inline constexpr int project_group = 8;
inline constexpr int project_piece = 2048;
inline constexpr int project_blocks = 528;
inline constexpr int combine_blocks = 528;
/// The sum over the basis and the next dot products in one pass: entries of all vectors
/// that a block holds in L2 between the two, and blocks, three a multiprocessor.
inline constexpr int combine_project_tile = 64;
inline constexpr int combine_project_blocks = 396;
/// The block preconditioner: threads that share an unknown, and blocks at most. H200,
/// 2026-11-21, the same command, blocks of 21 at N = 8,192: 4.3 us an iteration more than
/// without, in a graph; with a warp for each unknown, when it was a kernel more, 8 where
/// these took 5.8.
inline constexpr int precondition_lanes = 8;
inline constexpr int precondition_blocks = 528;

/// LDL^T: columns of a panel (a multiple of 64), and of the block columns in which the
/// matrix is stored and updated (a multiple of that). H200, 2026-11-21,
/// `tests/bench/gpu BUILD direct`: N = 32,768 factored in 0.427 s in TF32 and 1.07 s in
/// single, 4.4 GiB; 65,536 in 2.88 s, 16.8 GiB. Block columns of 2048 store 3 to 6 % more
/// than the triangle there.
inline constexpr std::size_t ldlt_panel = 512;
inline constexpr std::size_t ldlt_columns = 2048;
inline constexpr std::size_t ldlt_shared_columns = 1024;

/// LDL^T of many small matrices at once, a block of threads for each: threads, and
/// columns of a panel, which stands in shared memory; where that is too small for the
/// largest matrix of the batch, the narrow one.
inline constexpr int batch_ldlt_threads = 256;
inline constexpr int batch_ldlt_panel = 16, batch_ldlt_narrow_panel = 8;

/// Kernels that pass once over an array: copies, conversions, gathers, sums of parts, a
/// thread or a warp for each entry. Memory or launch latency bounds them; 256 threads of
/// few registers let eight blocks fill a multiprocessor.
inline constexpr int pass_threads = 256;
/// Kernels that invert one small matrix a block of threads: the 64 x 64 blocks of LDL^T,
/// a wire's block of the preconditioner. 64 x 64 entries are 16 a thread.
inline constexpr int inversion_threads = 256;
/// Dominant modes, a block of threads for each wire: a row each of its 20 to 100
/// unknowns, so that 256 threads would mostly idle.
inline constexpr int mode_threads = 128;

/// Sums on a grid (kernels/grid): spreading has a block for a tile of nodes, a thread for
/// four of a row, and takes points in batches; interpolation a warp for an element, some
/// a block; the product with the spectrum a thread for a node. H200, 2026-11-29,
/// `GridOnDevice.DISABLED_Speed`, 2 M points, tubes, W = 7: spreading and interpolation
/// in a plane 4.4 and 1.7 ms, in single 3.9 and 1.3; in a volume 9.3 and 5.5, in single
/// 5.7 and 3.7.
inline constexpr int grid_tile_side = 8, grid_row_nodes = 4, grid_points_at_once = 64,
                     grid_flat_points_at_once = 16;
inline constexpr int grid_elements_a_block = 8;

/// Lattices: wave vectors a block of the product with the spectra (256 bytes of each
/// entry's) and its threads at most; antennas and functions that pass through a block's
/// shared memory together.
inline constexpr int spectra_lanes = 16, spectra_threads = 640;
inline constexpr int lattice_tile_antennas = 32, lattice_tile_functions = 64;

/// Overlapping blocks: rows of the inverses that a warp multiplies at a time. Where so
/// many sets share an inverse, a block of threads takes a tile of rows by sets. One H200,
/// 2026-11-22, `gpu_overlap large 400 0.1 24 4 32 6`: 16.7 and 14.1 TFLOP/s, last tiles
/// that are not full included; tiles of 128 rows, eight a thread, 13.0 and 12.6.
inline constexpr int overlap_rows_a_warp = 4;
inline constexpr std::size_t overlap_sets_to_share = 8;
inline constexpr int overlap_tile_rows = 64, overlap_tile_sets = 32,
                     overlap_tile_threads = 128, overlap_tile_depth = 16;
/// Rates that decide between the two: bytes a second of the rows, flop a second of full
/// tiles, and the time of one tile for a step of its depth.
inline constexpr double overlap_row_bytes_per_s = 4.2e12,
                        overlap_tile_flops_per_s = 1.7e13, overlap_tile_step_s = 1.5e-6;

/// Iterations in the body of the solvers' WHILE node, and iterations between two returns
/// to the host; of GPUs that share the operator, who learn only there that one gives up.
inline constexpr int graph_unroll = 4;
inline constexpr int graph_span = 256;
inline constexpr int graph_shared_span = 64;

}  // namespace thinwire::tuning
