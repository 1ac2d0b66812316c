#include "kernels/symv.h"

#include <algorithm>
#include <type_traits>

#include "kernels/bulk_copy.cuh"
#include "kernels/device_check.cuh"
#include "kernels/device_complex.cuh"
#include "kernels/symv_second_pass.cuh"
#include "kernels/tuning.h"

namespace thinwire {
namespace {

using namespace device;

constexpr int tile = PackedTiles::tile;

/// Who holds what of a tile. A thread owns R rows, 4 apart, and C columns; a row of 16
/// bytes is V entries.
///
///            columns, 8 lanes x V entries, then the next 8 V columns of the thread ...
///            l=0   l=1   ...  l=7
///     row 0  | g=0: 128 bytes in one piece    |
///     row 1  | g=1                            |      lane = 8 g + l
///     row 2  | g=2                            |      no two lanes of a quarter warp
///     row 3  | g=3                            |      meet in a bank
///     row 4  | g=0, second row of the thread  |
///
/// With one right-hand side a warp owns whole columns, so a column's sum never leaves the
/// warp and the sums of the rows stay in registers for a run of tiles.
template <class EntryType, int side_count>
struct Shape {
  using Entry = EntryType;
  static constexpr int Sides = side_count;
  static constexpr tuning::SymvShape tuned =
      std::is_same_v<Entry, double2>
          ? (Sides == 1 ? tuning::symv_double : tuning::symv_double_four)
          : (Sides == 1 ? tuning::symv_single : tuning::symv_single_four);
  static constexpr int R = tuned.rows, C = tuned.columns;
  static constexpr int V = 16 / sizeof(Entry);
  static constexpr int row_warps = tile / (4 * R), column_warps = tile / (8 * C);
  static constexpr int threads = 32 * row_warps * column_warps;
  static constexpr int tile_bytes = tile * tile * sizeof(Entry);
  static constexpr int x_bytes = tile * Sides * sizeof(double2);
  static constexpr int stage_bytes = tile_bytes + x_bytes;
  static constexpr int row_scratch = column_warps * tile * Sides;
  static constexpr int column_scratch = row_warps > 1 ? row_warps* tile* Sides : 0;
  static constexpr int scratch_bytes =
      sizeof(double2) * (row_scratch > column_scratch ? row_scratch : column_scratch);
  static_assert(C % V == 0 && row_warps >= 1 && column_warps >= 1);

  static constexpr int shared_bytes(int stages) {
    return stages * stage_bytes + scratch_bytes + 2 * stages * 8;
  }
};

struct FirstPass {
  const void* z;
  const double2* x;
  std::size_t x_stride;
  double2* column_parts;
  double2* row_parts;
  std::size_t tile_rows;
  std::size_t runs;
  int stages;  // 0: no copies ahead, threads read the tiles themselves
  const int* skip;
};

/// Where a run of tiles stands: tile number t = (i, j).
struct TileCursor {
  std::size_t t, i, j;
  __device__ explicit TileCursor(std::size_t first)
      : t(first),
        i(static_cast<std::size_t>((sqrt(8.0 * static_cast<double>(first) + 1) - 1) /
                                   2)) {
    while (i * (i + 1) / 2 > first) --i;
    while ((i + 1) * (i + 2) / 2 <= first) ++i;
    j = first - i * (i + 1) / 2;
  }
  __device__ void next() {
    ++t;
    if (++j > i) {
      ++i;
      j = 0;
    }
  }
};

__device__ inline double2 from_lane(double2 value, int bit) {
  return {__shfl_xor_sync(0xffffffffu, value.x, bit),
          __shfl_xor_sync(0xffffffffu, value.y, bit)};
}

/// One step of a transposed butterfly: adds K values over the two lanes that differ in
/// `bit`; each lane keeps half of them, in value[0 .. K/2).
template <int K>
__device__ inline void fold(double2* value, int bit, bool upper) {
  if constexpr (K == 1) {
    value[0] = value[0] + from_lane(value[0], bit);
  } else {
#pragma unroll
    for (int k = 0; k < K / 2; ++k) {
      const double2 keep = upper ? value[k + K / 2] : value[k];
      const double2 give = upper ? value[k] : value[k + K / 2];
      value[k] = keep + from_lane(give, bit);
    }
  }
}
/// Values that each lane keeps after one fold of K.
template <int K>
inline constexpr int folded = K > 1 ? K / 2 : 1;

/// V entries of a tile, widened.
__device__ inline void load_entries(const double2* from, double2 (&entry)[1]) {
  entry[0] = *from;
}
__device__ inline void load_entries(const float2* from, double2 (&entry)[2]) {
  const float4 two = *reinterpret_cast<const float4*>(from);
  entry[0] = {two.x, two.y};
  entry[1] = {two.z, two.w};
}

/// The sums of one thread over a run of tiles in one tile row.
template <class Entry, int Sides>
struct Accumulator {
  using S = Shape<Entry, Sides>;
  static constexpr int R = S::R, C = S::C, V = S::V;
  const int l, g, row_warp, column_warp;
  double2 row[R * Sides];    // sums
  double2 x_row[R * Sides];  // x of the tile row

  __device__ Accumulator(int warp, int lane)
      : l(lane % 8),
        g(lane / 8),
        row_warp(warp % S::row_warps),
        column_warp(warp / S::row_warps) {}

  __device__ int row_of(int r) const { return row_warp * 4 * R + 4 * r + g; }

  __device__ void start_row(const FirstPass& args, std::size_t i) {
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int s = 0; s < Sides; ++s) {
        row[r * Sides + s] = {0, 0};
        x_row[r * Sides + s] = args.x[s * args.x_stride + i * tile + row_of(r)];
      }
  }

  /// Uses one tile twice. Leaves the column sums in column_parts, or where warps
  /// share columns in scratch.
  __device__ void add_tile(const Entry* entries, const double2* x, std::size_t x_stride,
                           double2* column_part, double2* scratch, bool diagonal) {
#pragma unroll
    for (int strip = 0; strip < C / V; ++strip) {
      const int column = (column_warp * (C / V) + strip) * 8 * V + l * V;
      double2 x_column[V * Sides], sum[V * Sides];
#pragma unroll
      for (int v = 0; v < V; ++v)
#pragma unroll
        for (int s = 0; s < Sides; ++s) {
          x_column[v * Sides + s] = x[s * x_stride + column + v];
          sum[v * Sides + s] = {0, 0};
        }
#pragma unroll
      for (int r = 0; r < R; ++r) {
        double2 a[V];
        load_entries(entries + row_of(r) * tile + column, a);
#pragma unroll
        for (int v = 0; v < V; ++v)
#pragma unroll
          for (int s = 0; s < Sides; ++s) {
            add_product(row[r * Sides + s], a[v], x_column[v * Sides + s]);
            add_product(sum[v * Sides + s], a[v], x_row[r * Sides + s]);
          }
      }
      // A diagonal tile is stored whole: its rows are all there is to it.
      if (!diagonal) keep_columns(sum, column, column_part, scratch);
    }
  }

  /// Adds sum[v][side] over the four row groups of the warp.
  __device__ void keep_columns(double2 (&sum)[V * Sides], int column,
                               double2* column_part, double2* scratch) {
    constexpr int K = V * Sides;
    fold<K>(sum, 8, g & 1);
    fold<folded<K>>(sum, 16, g & 2);
    constexpr int kept = folded<folded<K>>;
    const int first =
        (K >= 2 ? (g & 1) * (K / 2) : 0) + (K >= 4 ? (g >> 1) * (K / 4) : 0);
    // Where there are fewer values than groups, the groups hold copies.
    if (K < 4 && g >= K) return;
    double2* to = S::row_warps == 1 ? column_part : scratch + row_warp * tile * Sides;
#pragma unroll
    for (int k = 0; k < kept; ++k) {
      const int v = (first + k) / Sides, s = (first + k) % Sides;
      to[s * tile + column + v] = sum[k];
    }
  }

  /// Adds the row sums over the eight lanes of each row and leaves them in scratch.
  __device__ void keep_rows(double2* scratch) {
    constexpr int K = R * Sides;
    static_assert(K % 8 == 0);
    fold<K>(row, 1, l & 1);
    fold<K / 2>(row, 2, l & 2);
    fold<K / 4>(row, 4, l & 4);
    const int first = (l & 1) * (K / 2) + ((l >> 1) & 1) * (K / 4) + (l >> 2) * (K / 8);
#pragma unroll
    for (int k = 0; k < K / 8; ++k) {
      const int r = (first + k) / Sides, s = (first + k) % Sides;
      scratch[column_warp * tile * Sides + s * tile + row_of(r)] = row[k];
    }
  }
};

/// Adds `count` rows of scratch, [count][64 Sides], into `to`.
template <int values, int count, int threads>
__device__ inline void add_scratch(const double2* scratch, double2* to) {
  for (int k = threadIdx.x; k < values; k += threads) {
    double2 sum = scratch[k];
#pragma unroll
    for (int w = 1; w < count; ++w) sum = sum + scratch[w * values + k];
    to[k] = sum;
  }
}

/// The stages of a block in shared memory, and the copies under way to them. One thread
/// starts the copies.
template <class S>
class Pipeline {
 public:
  using Entry = typename S::Entry;

  __device__ Pipeline(const FirstPass& args, unsigned char* shared, std::size_t begin,
                      std::size_t end)
      : args_(args), shared_(shared), end_(end), ahead_(begin) {
#if __CUDA_ARCH__ >= 900
    full_ = reinterpret_cast<std::uint64_t*>(shared + args.stages * S::stage_bytes +
                                             S::scratch_bytes);
    empty_ = full_ + args.stages;
    if (threadIdx.x == 0) {
      for (int s = 0; s < args.stages; ++s) {
        barrier_init(full_ + s, 1);
        barrier_init(empty_ + s, S::threads / 32);
      }
      barrier_init_fence();
    }
    __syncthreads();
    if (threadIdx.x == 0)
      for (int s = 0; s < args.stages && ahead_.t < end; ++s) start_copy(s);
#endif
  }

  /// Waits for tile `at` and points to it, and to x of its columns.
  __device__ void wait(const TileCursor& at, const Entry*& entries, const double2*& x,
                       std::size_t& x_stride) const {
#if __CUDA_ARCH__ >= 900
    if (args_.stages > 0) {
      barrier_wait(full_ + stage_, parity_);
      const unsigned char* from = shared_ + stage_ * S::stage_bytes;
      entries = reinterpret_cast<const Entry*>(from);
      x = reinterpret_cast<const double2*>(from + S::tile_bytes);
      x_stride = tile;
      return;
    }
#endif
    entries = static_cast<const Entry*>(args_.z) + at.t * (tile * tile);
    x = args_.x + at.j * tile;
    x_stride = args_.x_stride;
  }

  /// To be called by whole warps when they are done with the tile.
  __device__ void release() {
#if __CUDA_ARCH__ >= 900
    if (args_.stages == 0) return;
    __syncwarp();
    if (threadIdx.x % 32 == 0) barrier_arrive(empty_ + stage_);
    if (threadIdx.x == 0 && ahead_.t < end_) {
      barrier_wait(empty_ + stage_, parity_);
      start_copy(stage_);
    }
    __syncwarp();
    if (++stage_ == args_.stages) {
      stage_ = 0;
      parity_ ^= 1;
    }
#endif
  }

 private:
#if __CUDA_ARCH__ >= 900
  __device__ void start_copy(int stage) {
    unsigned char* to = shared_ + stage * S::stage_bytes;
    barrier_arrive_expect(full_ + stage, S::stage_bytes);
    bulk_load_once(to, static_cast<const Entry*>(args_.z) + ahead_.t * (tile * tile),
                   S::tile_bytes, full_ + stage);
    for (int s = 0; s < S::Sides; ++s)
      bulk_load(to + S::tile_bytes + s * tile * sizeof(double2),
                args_.x + s * args_.x_stride + ahead_.j * tile, tile * sizeof(double2),
                full_ + stage);
    ahead_.next();
  }
#endif

  const FirstPass& args_;
  unsigned char* shared_;
  std::size_t end_;
  TileCursor ahead_;  // the next tile to copy
  std::uint64_t *full_ = nullptr, *empty_ = nullptr;
  int stage_ = 0;
  unsigned parity_ = 0;
};

/// First pass. A block walks a run of consecutive tiles, which lie in memory one after
/// another; the copy engine works `stages` tiles ahead, so that loads never wait for
/// sums:
///
///     run 0: tiles (0,0) (1,0) (1,1) (2,0) | run 1: (2,1) (2,2) (3,0) (3,1) | ...
///
///     copy engine  ->  stage: tile 64 KiB, x of its columns  ->  threads
///                                      row sums in registers while i stays the same
///                                      column sums -> column_parts, one for each tile
template <class Entry, int Sides>
__global__ void __launch_bounds__(Shape<Entry, Sides>::threads,
                                  Shape<Entry, Sides>::tuned.blocks_per_sm)
    symv_first_pass(const __grid_constant__ FirstPass args) {
  using S = Shape<Entry, Sides>;
  extern __shared__ __align__(128) unsigned char shared[];
  if (args.skip != nullptr && *args.skip != 0) return;

  const std::size_t tiles = args.tile_rows * (args.tile_rows + 1) / 2;
  const std::size_t end = first_tile_of_run(blockIdx.x + 1, tiles, args.runs);
  TileCursor at(first_tile_of_run(blockIdx.x, tiles, args.runs));
  auto* scratch = reinterpret_cast<double2*>(shared + args.stages * S::stage_bytes);
  Pipeline<S> pipeline(args, shared, at.t, end);
  Accumulator<Entry, Sides> sums(threadIdx.x / 32, threadIdx.x % 32);
  if (at.t < end) sums.start_row(args, at.i);

  while (at.t < end) {
    const Entry* entries;
    const double2* x;
    std::size_t x_stride;
    pipeline.wait(at, entries, x, x_stride);
    const bool diagonal = at.i == at.j;
    double2* column_part = args.column_parts + at.t * (tile * Sides);
    sums.add_tile(entries, x, x_stride, column_part, scratch, diagonal);
    pipeline.release();
    if (S::row_warps > 1 && !diagonal) {
      __syncthreads();
      add_scratch<tile * Sides, S::row_warps, S::threads>(scratch, column_part);
      __syncthreads();
    }
    const std::size_t i = at.i;
    at.next();
    if (at.i != i || at.t == end) {
      sums.keep_rows(scratch);
      __syncthreads();
      add_scratch<tile * Sides, S::column_warps, S::threads>(
          scratch, args.row_parts + (i + blockIdx.x) * (tile * Sides));
      __syncthreads();
      if (at.t < end) sums.start_row(args, at.i);
    }
  }
}

/// The stages that the current GPU has shared memory for; 0: read tiles directly.
template <class S>
int choose_stages() {
  const char* where = "symmetric product";
  int device = 0, major = 0, limit = 0;
  check_cuda(cudaGetDevice(&device), where, "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
             where, "cudaDeviceGetAttribute");
  check_cuda(
      cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
      where, "cudaDeviceGetAttribute");
  int stages = major >= 9 ? S::tuned.stages : 0;
  while (stages > 0 && S::shared_bytes(stages) > limit) --stages;
  if (stages < 2) stages = 0;
  check_cuda(cudaFuncSetAttribute(symv_first_pass<typename S::Entry, S::Sides>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  S::shared_bytes(stages)),
             where, "cudaFuncSetAttribute");
  return stages;
}

/// Calls f with the Shape for the storage and number of right-hand sides given.
template <class F>
auto dispatch(Storage storage, int sides, F f) {
  if (storage == Storage::complex_double)
    return sides == 1 ? f(Shape<double2, 1>()) : f(Shape<double2, 4>());
  return sides == 1 ? f(Shape<float2, 1>()) : f(Shape<float2, 4>());
}

std::size_t runs_for(PackedTiles layout, Storage storage, int sides,
                     int multiprocessors) {
  return dispatch(storage, sides, [&](auto shape) {
    const auto runs = static_cast<std::size_t>(multiprocessors) *
                      decltype(shape)::tuned.blocks_per_sm * tuning::symv_runs_per_block;
    return std::min(runs, layout.tiles());
  });
}

}  // namespace

DeviceSymv::DeviceSymv(PackedTiles layout, Storage storage, int sides)
    : layout_(layout), storage_(storage) {
  if (sides != 1 && sides != 4)
    throw Error(ErrorKind::numeric,
                "symmetric product: right-hand sides must be 1 or 4 "
                "(got " +
                    std::to_string(sides) + ").");
  parts_.tile_rows = layout.rows();
  parts_.sides = sides;
  parts_.runs = runs_for(layout, storage, sides, current_device().multiprocessors);
  stages_ = dispatch(storage, sides,
                     [](auto shape) { return choose_stages<decltype(shape)>(); });
  const std::size_t part = PackedTiles::tile * static_cast<std::size_t>(sides);
  column_parts_ = {layout.tiles() * part, "partial sums of the symmetric product"};
  row_parts_ = {(layout.rows() + parts_.runs) * part,
                "partial sums of the symmetric product"};
  parts_.columns = column_parts_.data();
  parts_.rows = row_parts_.data();
}

std::size_t DeviceSymv::bytes(PackedTiles layout, Storage storage, int sides,
                              int multiprocessors) {
  return (layout.tiles() + layout.rows() +
          runs_for(layout, storage, sides, multiprocessors)) *
         PackedTiles::tile * sides * sizeof(Complex);
}

void DeviceSymv::first_pass(const DeviceTiles& z, const Complex* x, const int* skip,
                            const DeviceStream& stream) {
  const FirstPass args = {z.data(),
                          thinwire::parts(x),
                          layout_.padded(),
                          thinwire::parts(parts_.columns),
                          thinwire::parts(parts_.rows),
                          parts_.tile_rows,
                          parts_.runs,
                          stages_,
                          skip};
  dispatch(storage_, parts_.sides, [&](auto shape) {
    using S = decltype(shape);
    symv_first_pass<typename S::Entry, S::Sides>
        <<<static_cast<unsigned>(parts_.runs), S::threads, S::shared_bytes(stages_),
           stream.get()>>>(args);
  });
  check_launch("symmetric product, first pass");
}

void DeviceSymv::multiply(const DeviceTiles& z, const Complex* x, Complex* y,
                          const DeviceStream& stream) {
  first_pass(z, x, nullptr, stream);
  StoreProduct store;
  store.y = thinwire::parts(y);
  launch_second_pass(parts_, store, stream);
}

}  // namespace thinwire
