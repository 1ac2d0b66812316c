#include "kernels/matrix/symv.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/device/check.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/tuning.h"
#include "kernels/matrix/symv_four_sums.cuh"
#include "kernels/matrix/symv_shapes.h"
#include "kernels/matrix/symv_stages.cuh"
#include "kernels/matrix/symv_sums.cuh"

namespace thinwire {
namespace {

using namespace device;

/// How the first pass for one right-hand side goes about (symv_stages.cuh,
/// symv_sums.cuh). index: into symv_shapes, for double.
template <class EntryType, std::size_t index = 0>
struct OneRhs {
  using Entry = EntryType;
  using Sums = OneRhsSums<OneRhs>;
  static constexpr tuning::SymvShape tuned =
      std::is_same_v<Entry, double2> ? symv_shapes[index] : tuning::symv_single;
  static constexpr int RhsCount = 1, rows = tuned.rows, V = 16 / sizeof(Entry);
  static constexpr int row_warps = symv_tile / (4 * rows);
  static constexpr int column_warps = symv_tile / (8 * V);
  static constexpr int threads = 32 * row_warps * column_warps;
  static constexpr int super = tuned.super, stages = tuned.stages;
  static constexpr bool swizzled = false;
};

/// Four right-hand sides.
template <class EntryType>
struct FourRhs {
  using Entry = EntryType;
  using Sums = FourRhsSums<FourRhs>;
  static constexpr tuning::SymvShape tuned = std::is_same_v<Entry, double2>
                                                 ? tuning::symv_double_four
                                                 : tuning::symv_single_four;
  static constexpr int RhsCount = 4, threads = tuning::symv_four_threads;
  static constexpr int super = tuned.super, stages = tuned.stages;
  static constexpr bool swizzled = true;
};

/// First pass. A block walks a run of tiles, super-tile by super-tile (SuperTiles); the
/// copy engine works ahead, so that loads never wait for sums:
///
///     copy engine -> stages: tiles, x of their rows and columns -> threads
///                                  sums of a row: in registers while i stays the same
///                                  sums of the S block columns: in shared memory
///
/// Where the run leaves a super-tile, what the run adds to its S block rows and S block
/// columns of y goes to memory: 2 S KiB for up to S^2 tiles of 64 KiB. The first copies
/// are under way before the kernel before has ended.
template <class S, template <class> class Tiles>
__global__ void __launch_bounds__(S::threads, S::tuned.blocks_per_sm)
    symv_first_pass(const __grid_constant__ FirstPass args) {
  constexpr int block = S::RhsCount * symv_tile;  // values of y for a block of rows
  extern __shared__ __align__(1024) unsigned char shared[];
  TileCursor<S::super> at = start_of_run<S::super>(args);
  Tiles<S> tiles(args, shared, at);
  auto* column_sums = reinterpret_cast<double2*>(shared + Tiles<S>::bytes);
  double2* scratch = column_sums + S::Sums::column_values;
  const auto clear = [](double2* values, std::size_t count) {
    for (std::size_t k = threadIdx.x; k < count; k += S::threads) values[k] = {0, 0};
  };
  clear(column_sums, S::Sums::column_values);

  wait_for_kernel_before();
  let_next_kernel_start();
  tiles.start_x(at);
  if (args.skip != nullptr && *args.skip != 0) return tiles.drain();
  typename S::Sums sums;
  __syncthreads();

  while (!at.done()) {
    const auto view = tiles.wait(at);
    if (at.row_starts) sums.start_row(view);
    sums.add_tile(view);
    tiles.release();
    sums.end_tile(column_sums + (at.j - at.b * S::super) * block, at.i == at.j);

    double2* part =
        args.parts + (at.super_number() + blockIdx.x) * (2 * S::super * block);
    const unsigned row = at.i - at.q * S::super;
    at.next();
    if (!at.row_starts && !at.done()) continue;
    __syncthreads();  // `scratch` may still be read
    sums.store_rows(scratch, part + row * block);
    if (!at.super_ends && !at.done()) continue;
    constexpr int values = S::super * block;
    add_up<values, S::Sums::column_values / values, S::threads>(column_sums,
                                                                part + values);
    __syncthreads();
    clear(column_sums, S::Sums::column_values);
    __syncthreads();
  }
}

}  // namespace

/// One compiled variant of the first pass.
struct FirstPassKernel {
  void (*run)(FirstPass);
  unsigned threads;
  int shared_bytes, blocks_per_sm, super, rhs_count;
  bool swizzled;
};

namespace {

template <class S, template <class> class Tiles>
constexpr int shared_bytes() {
  constexpr int bytes =
      Tiles<S>::bytes + (S::Sums::column_values + S::Sums::scratch_values) * 16;
  // Each block takes 1 KiB more of a Hopper multiprocessor's 228 KiB.
  static_assert(S::tuned.blocks_per_sm * (bytes + 1024) <= 228 * 1024);
  return bytes;
}

template <class S, template <class> class Tiles>
constexpr FirstPassKernel kernel_of = {symv_first_pass<S, Tiles>,
                                       S::threads,
                                       shared_bytes<S, Tiles>(),
                                       S::tuned.blocks_per_sm,
                                       S::super,
                                       S::RhsCount,
                                       S::swizzled};

template <std::size_t... index>
const FirstPassKernel& shaped_kernel(int shape, std::index_sequence<index...>) {
  static constexpr std::array kernels = {
      &kernel_of<OneRhs<double2, index>, StagedTiles>...};
  return *kernels[static_cast<std::size_t>(shape)];
}

/// Four right-hand sides at once need stages and tensor cores, otherwise one by one.
const FirstPassKernel& kernel_for(Storage storage, int rhs_count, int shape,
                                  bool staged) {
  if (storage == Storage::complex_double)
    return !staged ? kernel_of<OneRhs<double2>, DirectTiles>
           : rhs_count == 1
               ? shaped_kernel(shape, std::make_index_sequence<symv_shapes.size()>())
               : kernel_of<FourRhs<double2>, StagedTiles>;
  return !staged          ? kernel_of<OneRhs<float2>, DirectTiles>
         : rhs_count == 1 ? kernel_of<OneRhs<float2>, StagedTiles>
                          : kernel_of<FourRhs<float2>, StagedTiles>;
}

/// Whether the current GPU has bulk copies, tensor cores for double, and shared memory
/// for the stages, and this program the code for that.
bool can_stage(const FirstPassKernel& kernel) {
  const char* where = "symmetric product";
  int device = 0, limit = 0;
  check_cuda(cudaGetDevice(&device), where, "cudaGetDevice");
  check_cuda(
      cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
      where, "cudaDeviceGetAttribute");
  return kernel_architecture() >= 90 && kernel.shared_bytes <= limit;
}

/// Tensor map with which the copy engine swizzles tiles (SwizzledTile): the matrix as
///   [columns of 128 bytes][rows of all tiles][16 units of 8 bytes]
/// with a tile as the box.
CUtensorMap swizzling_map(const DeviceTiles& z) {
  const char* where = "symmetric product";
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  check_cuda(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                              cudaEnableDefault, &found),
             where, "cudaGetDriverEntryPointByVersion");
  const std::size_t row_bytes =
      symv_tile * (z.storage() == Storage::complex_double ? 16 : 8);
  const cuuint64_t sizes[] = {16, z.share().size() * symv_tile, row_bytes / 128};
  const cuuint64_t strides[] = {row_bytes, 128};
  const cuuint32_t box[] = {16, symv_tile, static_cast<cuuint32_t>(row_bytes / 128)};
  const cuuint32_t steps[] = {1, 1, 1};
  CUtensorMap map;
  const CUresult status =
      found == cudaDriverEntryPointSuccess
          ? reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)(
                &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 3, z.data(), sizes, strides, box,
                steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
          : CUDA_ERROR_NOT_SUPPORTED;
  check_cuda(status == CUDA_SUCCESS ? cudaSuccess : cudaErrorNotSupported, where,
             "cuTensorMapEncodeTiled");
  return map;
}

/// Everything about the partial sums but where they are.
SymvParts plan_parts(PackedTiles layout, TileShare share, const FirstPassKernel& kernel,
                     int multiprocessors, int runs_per_block) {
  const std::size_t runs =
      static_cast<std::size_t>(multiprocessors) * kernel.blocks_per_sm * runs_per_block;
  SymvParts parts;
  parts.tile_rows = layout.rows();
  parts.super = kernel.super;
  parts.runs = std::min(runs, share.size());
  parts.rhs_count = kernel.rhs_count;
  return parts;
}

SuperTiles order_of(TileShare share, std::size_t super) {
  return {share.last_row(), super, share.first_row()};
}

/// Values of a run in a super-tile.
std::size_t part_values(const SymvParts& parts) {
  return 2 * parts.super * PackedTiles::tile * static_cast<std::size_t>(parts.rhs_count);
}

/// Super-tiles before the share's first.
std::size_t first_super_tile(const SuperTiles& order) {
  return SuperTiles::super_number(order.first_row / order.S);
}

std::size_t count_parts(const SymvParts& parts, TileShare share) {
  const SuperTiles order = order_of(share, parts.super);
  return (SuperTiles::super_number(order.groups()) - first_super_tile(order) +
          parts.runs) *
         part_values(parts);
}

/// SymvParts::ranges.
std::vector<RunRange> runs_across(const SymvParts& parts, TileShare share) {
  const SuperTiles order = order_of(share, parts.super);
  const auto run_of = [&](std::size_t position) {
    return static_cast<std::uint32_t>(((position + 1) * parts.runs - 1) / order.tiles());
  };
  const auto runs_of = [&](std::size_t begin, std::size_t end) {
    return end > begin ? RunRange{run_of(begin), run_of(end - 1)} : RunRange{1, 0};
  };
  const std::size_t groups = SuperTiles{parts.tile_rows, parts.super}.groups();
  std::vector<RunRange> ranges;
  for (std::size_t q = 0; q < groups; ++q)
    for (std::size_t b = 0; b <= q; ++b) {
      const bool in_share = order.top(q) < order.bottom(q);
      const std::size_t first = in_share ? order.first(q, b) : 0;
      std::size_t next = first;
      for (std::size_t i = q * parts.super; i < (q + 1) * parts.super; ++i) {
        const std::size_t length = b < q ? parts.super : i - q * parts.super + 1,
                          begin = next;
        if (i >= order.top(q) && i < order.bottom(q)) next += length;
        ranges.push_back(runs_of(begin, next));
      }
      ranges.push_back(runs_of(first, next));
    }
  return ranges;
}

}  // namespace

DeviceSymv::DeviceSymv(PackedTiles layout, TileShare share, Storage storage,
                       int rhs_count, SymvSetting setting, bool stages)
    : layout_(layout), share_(share), rhs_count_(rhs_count) {
  check(setting);
  if (!share.has_whole_rows())
    throw Error(ErrorKind::numeric,
                "symmetric product: a share on a GPU must be whole rows of tiles (got "
                "tiles " +
                    std::to_string(share.first) + " .. " + std::to_string(share.last) +
                    ").");
  if (rhs_count != 1 && rhs_count != 4)
    throw Error(ErrorKind::numeric,
                "symmetric product: right-hand sides must be 1 or 4 "
                "(got " +
                    std::to_string(rhs_count) + ").");
  kernel_ = &kernel_for(storage, rhs_count, setting.shape, true);
  if (!stages || !can_stage(*kernel_))
    kernel_ = &kernel_for(storage, rhs_count, setting.shape, false);
  check_cuda(
      cudaFuncSetAttribute(kernel_->run, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           kernel_->shared_bytes),
      "symmetric product", "cudaFuncSetAttribute");
  parts_ = plan_parts(layout, share, *kernel_, current_device().multiprocessors,
                      setting.runs_per_block);
  values_ = {count_parts(parts_, share), "partial sums of the symmetric product"};
  // Super-tiles are numbered in the whole matrix.
  parts_.values = values_.data() -
                  first_super_tile(order_of(share, parts_.super)) * part_values(parts_);
  const std::vector<RunRange> ranges = runs_across(parts_, share);
  ranges_ = {ranges.size(), "partial sums of the symmetric product"};
  const DeviceStream stream;
  ranges_.upload(ranges, stream);
  stream.synchronize();
  parts_.ranges = ranges_.data();
}

std::size_t DeviceSymv::bytes(PackedTiles layout, Storage storage, int rhs_count,
                              int multiprocessors, SymvSetting setting) {
  check(setting);
  const TileShare whole = TileShare::whole(layout);
  return count_parts(plan_parts(layout, whole,
                                kernel_for(storage, rhs_count, setting.shape, true),
                                multiprocessors, setting.runs_per_block),
                     whole) *
         sizeof(Complex);
}

/// Everything that a launch of the first pass needs.
struct DeviceSymv::Launch {
  FirstPass args;
  unsigned runs, threads;
  std::size_t shared_bytes;
};

DeviceSymv::Launch DeviceSymv::prepare(const DeviceTiles& z, const Complex* x,
                                       const int* skip) const {
  if (z.share() != share_)
    throw Error(ErrorKind::device,
                "symmetric product: made for another share of the matrix (tiles " +
                    std::to_string(share_.first) + " .. " + std::to_string(share_.last) +
                    "; got " + std::to_string(z.share().first) + " .. " +
                    std::to_string(z.share().last) + ").");
  FirstPass args = {{},
                    z.data(),
                    share_.first,
                    thinwire::parts(x),
                    layout_.padded(),
                    thinwire::parts(parts_.values),
                    order_of(share_, parts_.super),
                    parts_.runs,
                    skip};
  if (kernel_->swizzled && args.runs > 0) args.tiles = swizzling_map(z);
  return {args, static_cast<unsigned>(args.runs), kernel_->threads,
          static_cast<std::size_t>(kernel_->shared_bytes)};
}

void DeviceSymv::first_pass(const DeviceTiles& z, const Complex* x, const int* skip,
                            const DeviceStream& stream) {
  const Launch launch = prepare(z, x, skip);
  if (launch.runs == 0) return;  // of no tiles
  launch_overlapped("symmetric product, first pass", kernel_->run, launch.runs,
                    launch.threads, launch.shared_bytes, stream, launch.args);
}

void DeviceSymv::multiply(const DeviceTiles& z, const Complex* x, Complex* y,
                          const DeviceStream& stream) {
  for (int rhs = 0; rhs < rhs_count_; rhs += parts_.rhs_count) {
    const std::size_t first = rhs * layout_.padded();
    // Not overlapped: the kernel before may have made z.
    const Launch launch = prepare(z, x + first, nullptr);
    if (launch.runs > 0)
      kernel_->run<<<launch.runs, launch.threads, launch.shared_bytes, stream.get()>>>(
          launch.args);
    check_launch("symmetric product, first pass");
    StoreProduct store;
    store.y = thinwire::parts(y + first);
    launch_second_pass(parts_, store, stream);
  }
}

}  // namespace thinwire
