#include "kernels/symv.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/bulk_copy.cuh"
#include "kernels/device_check.cuh"
#include "kernels/device_complex.cuh"
#include "kernels/symv_runs.h"
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
/// A column's sum never leaves its warp, and the sums of the rows stay in registers from
/// tile to tile.
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
  static constexpr int S = tuned.super;
  /// Sums of columns, kept apart for each of the warps that share columns.
  static constexpr int column_sums = row_warps * S * Sides * tile;
  static constexpr int row_scratch = column_warps * Sides * tile;
  static_assert(C % V == 0 && row_warps >= 1 && column_warps >= 1);

  static constexpr int shared_bytes(int stages) {
    return stages * stage_bytes + (column_sums + row_scratch) * 16 + 2 * stages * 8;
  }
};

struct FirstPass {
  const void* z;
  const double2* x;
  std::size_t x_stride;
  double2* parts;
  SuperTiles order;
  std::size_t runs;
  const int* skip;
};

/// Where a run of tiles stands.
template <int S>
struct TileCursor {
  const SuperTiles& order;
  std::size_t position, end;  // in the order of the runs
  std::size_t q, b, i, j;     // super-tile and tile
  bool row_ends, super_ends;  // whether the step before left a row of a super-tile, or it

  __device__ TileCursor(const SuperTiles& tiles, std::size_t first, std::size_t last)
      : order(tiles), position(first), end(last), row_ends(false), super_ends(false) {
    auto row =
        static_cast<std::size_t>((sqrt(8.0 * static_cast<double>(first) + 1) - 1) / 2);
    while (row * (row + 1) / 2 > first) --row;
    while ((row + 1) * (row + 2) / 2 <= first) ++row;
    q = row / S;
    const std::size_t in_group = first - order.first(q, 0), full = order.height(q) * S;
    b = in_group / full < q ? in_group / full : q;
    std::size_t rest = in_group - b * full;
    i = q * S;
    if (b < q) {
      i += rest / S;
      rest %= S;
    } else {
      for (std::size_t length = 1; rest >= length; ++length, ++i) rest -= length;
    }
    j = b * S + rest;
  }
  __device__ bool done() const { return position >= end; }
  __device__ std::size_t tile_number() const { return i * (i + 1) / 2 + j; }
  __device__ void next() {
    ++position;
    ++j;
    row_ends = j > i || j == (b + 1) * S;
    super_ends = false;
    if (!row_ends) return;
    ++i;
    j = b * S;
    super_ends = i == q * S + order.height(q);
    if (!super_ends) return;
    if (++b > q) {
      ++q;
      b = 0;
    }
    i = q * S;
    j = b * S;
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

/// A tile for the threads, and x of its columns.
template <class Entry>
struct TileView {
  const Entry* entries;
  const double2* x;
  std::size_t x_stride;  // from one right-hand side to the next
};

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

  /// Uses one tile twice. column_sums: [row_warps][S][Sides][64], at the tile's column.
  __device__ void add_tile(const TileView<Entry>& view, double2* column_sums,
                           bool diagonal) {
#pragma unroll
    for (int strip = 0; strip < C / V; ++strip) {
      const int column = (column_warp * (C / V) + strip) * 8 * V + l * V;
      double2 x_column[V * Sides], sum[V * Sides];
#pragma unroll
      for (int v = 0; v < V; ++v)
#pragma unroll
        for (int s = 0; s < Sides; ++s) {
          x_column[v * Sides + s] = view.x[s * view.x_stride + column + v];
          sum[v * Sides + s] = {0, 0};
        }
#pragma unroll
      for (int r = 0; r < R; ++r) {
        double2 a[V];
        load_entries(view.entries + row_of(r) * tile + column, a);
#pragma unroll
        for (int v = 0; v < V; ++v)
#pragma unroll
          for (int s = 0; s < Sides; ++s) {
            add_product(row[r * Sides + s], a[v], x_column[v * Sides + s]);
            add_product(sum[v * Sides + s], a[v], x_row[r * Sides + s]);
          }
      }
      keep_columns(sum, column, column_sums, diagonal);
    }
  }

  /// Adds sum[v][side] over the four row groups of the warp. No other warp touches the
  /// values that this one adds to.
  __device__ void keep_columns(double2 (&sum)[V * Sides], int column,
                               double2* column_sums, bool diagonal) {
    constexpr int K = V * Sides;
    fold<K>(sum, 8, g & 1);
    fold<folded<K>>(sum, 16, g & 2);
    constexpr int kept = folded<folded<K>>;
    const int first =
        (K >= 2 ? (g & 1) * (K / 2) : 0) + (K >= 4 ? (g >> 1) * (K / 4) : 0);
    // A diagonal tile is stored whole: its rows are all there is to it. Tested here and
    // not around the shuffles, which the compiler wants whole warps for.
    if (diagonal) return;
    // Where there are fewer values than groups, the groups hold copies.
    if (K < 4 && g >= K) return;
    double2* to = column_sums + row_warp * (S::S * Sides * tile);
#pragma unroll
    for (int k = 0; k < kept; ++k) {
      const int v = (first + k) / Sides, s = (first + k) % Sides;
      double2& total = to[s * tile + column + v];
      total = total + sum[k];
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

/// to[k] = sum over w < count of from[w][k], k < values.
template <int values, int count, int threads>
__device__ inline void add_up(const double2* from, double2* to) {
  for (int k = threadIdx.x; k < values; k += threads) {
    double2 sum = from[k];
#pragma unroll
    for (int w = 1; w < count; ++w) sum = sum + from[w * values + k];
    to[k] = sum;
  }
}
template <int threads>
__device__ inline void clear(double2* values, int count) {
  for (int k = threadIdx.x; k < count; k += threads) values[k] = {0, 0};
}

/// Tiles read from where they lie: for GPUs without bulk copies or with little shared
/// memory.
template <class S>
struct DirectTiles {
  static constexpr int stages = 0;
  const FirstPass& args;

  __device__ DirectTiles(const FirstPass& pass, unsigned char*, std::uint64_t*,
                         const TileCursor<S::S>&)
      : args(pass) {}
  __device__ TileView<typename S::Entry> wait(const TileCursor<S::S>& at) const {
    return {
        static_cast<const typename S::Entry*>(args.z) + at.tile_number() * (tile * tile),
        args.x + at.j * tile, args.x_stride};
  }
  __device__ void release() const {}
};

/// Tiles in the stages of a block in shared memory, with the copies under way to them.
/// One thread starts the copies.
template <class S>
class StagedTiles {
 public:
  static constexpr int stages = S::tuned.stages;
  using Entry = typename S::Entry;
  using Cursor = TileCursor<S::S>;

  /// shared: [stages * S::stage_bytes], barriers: [2 stages]
  __device__ StagedTiles(const FirstPass& args, unsigned char* shared,
                         std::uint64_t* barriers, const Cursor& start)
      : args_(args),
        shared_(shared),
        full_(barriers),
        empty_(barriers + stages),
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
    if (threadIdx.x == 0)
      for (int s = 0; s < stages && !ahead_.done(); ++s) start_copy(s);
#endif
  }

  /// Waits for the next tile.
  __device__ TileView<Entry> wait(const Cursor&) const {
#if __CUDA_ARCH__ >= 900
    barrier_wait(full_ + stage_, parity_);
#endif
    const unsigned char* from = shared_ + stage_ * S::stage_bytes;
    return {reinterpret_cast<const Entry*>(from),
            reinterpret_cast<const double2*>(from + S::tile_bytes), tile};
  }

  /// To be called by every thread when it is done with the tile. One arrival for each
  /// warp would do, but costs the same, and compute-sanitizer's racecheck does not follow
  /// the order that __syncwarp gives.
  __device__ void release() {
#if __CUDA_ARCH__ >= 900
    barrier_arrive(empty_ + stage_);
    if (threadIdx.x == 0 && !ahead_.done()) {
      barrier_wait(empty_ + stage_, parity_);
      start_copy(stage_);
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
  __device__ void start_copy(int stage) {
    unsigned char* to = shared_ + stage * S::stage_bytes;
    barrier_arrive_expect(full_ + stage, S::stage_bytes);
    bulk_load_once(
        to, static_cast<const Entry*>(args_.z) + ahead_.tile_number() * (tile * tile),
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
  std::uint64_t *full_, *empty_;
  Cursor ahead_;  // the next tile to copy
  int stage_ = 0;
  unsigned parity_ = 0;
};

/// First pass. A block walks a run of tiles, super-tile by super-tile (SuperTiles); the
/// copy engine works `stages` tiles ahead, so that loads never wait for sums:
///
///     copy engine -> stage: tile 64 KiB, x of its columns -> threads
///                                  sums of a row: in registers while i stays the same
///                                  sums of the S block columns: in shared memory
///
/// Where the run leaves a super-tile, what the run adds to its S block rows and S block
/// columns of y goes to memory: 2 S KiB for up to S^2 tiles of 64 KiB.
template <class S, class Tiles>
__global__ void __launch_bounds__(S::threads, S::tuned.blocks_per_sm)
    symv_first_pass(const __grid_constant__ FirstPass args) {
  constexpr int block = S::Sides * tile;  // values of y for a block of rows
  extern __shared__ __align__(128) unsigned char shared[];
  if (args.skip != nullptr && *args.skip != 0) return;

  auto* column_sums = reinterpret_cast<double2*>(shared + Tiles::stages * S::stage_bytes);
  double2* scratch = column_sums + S::column_sums;
  auto* barriers = reinterpret_cast<std::uint64_t*>(scratch + S::row_scratch);
  TileCursor<S::S> at(args.order,
                      first_tile_of_run(blockIdx.x, args.order.tiles(), args.runs),
                      first_tile_of_run(blockIdx.x + 1, args.order.tiles(), args.runs));
  if (at.done()) return;
  Tiles tiles(args, shared, barriers, at);
  Accumulator<typename S::Entry, S::Sides> sums(threadIdx.x / 32, threadIdx.x % 32);
  clear<S::threads>(column_sums, S::column_sums);
  __syncthreads();
  sums.start_row(args, at.i);
  std::size_t first_row = at.i;  // of the run in this super-tile

  while (!at.done()) {
    sums.add_tile(tiles.wait(at), column_sums + (at.j - at.b * S::S) * block,
                  at.i == at.j);
    tiles.release();

    const std::size_t q = at.q, b = at.b, i = at.i;
    at.next();
    if (!at.row_ends && !at.done()) continue;
    double2* part = args.parts + (q * (q + 1) / 2 + b + blockIdx.x) * (2 * S::S * block);
    sums.keep_rows(scratch);
    __syncthreads();
    add_up<block, S::column_warps, S::threads>(scratch, part + (i - q * S::S) * block);
    if (at.super_ends || at.done()) {
      // Rows of the super-tile that other runs have.
      clear<S::threads>(part, static_cast<int>((first_row - q * S::S) * block));
      clear<S::threads>(part + (i + 1 - q * S::S) * block,
                        static_cast<int>(((q + 1) * S::S - i - 1) * block));
      add_up<S::S * block, S::row_warps, S::threads>(column_sums, part + S::S * block);
      __syncthreads();
      clear<S::threads>(column_sums, S::column_sums);
      first_row = at.i;
    }
    __syncthreads();
    if (!at.done()) sums.start_row(args, at.i);
  }
}

/// Whether the current GPU has bulk copies, and shared memory for the stages.
template <class S>
bool can_stage() {
  const char* where = "symmetric product";
  int device = 0, major = 0, limit = 0;
  check_cuda(cudaGetDevice(&device), where, "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
             where, "cudaDeviceGetAttribute");
  check_cuda(
      cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
      where, "cudaDeviceGetAttribute");
  return major >= 9 && S::shared_bytes(S::tuned.stages) <= limit;
}

template <class S, class Tiles>
void launch_first_pass(const FirstPass& args, const DeviceStream& stream) {
  constexpr int bytes = S::shared_bytes(Tiles::stages);
  check_cuda(cudaFuncSetAttribute(symv_first_pass<S, Tiles>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
             "symmetric product", "cudaFuncSetAttribute");
  symv_first_pass<S, Tiles>
      <<<static_cast<unsigned>(args.runs), S::threads, bytes, stream.get()>>>(args);
  check_launch("symmetric product, first pass");
}

/// Calls f with the Shape for the storage and number of right-hand sides given.
template <class F>
auto dispatch(Storage storage, int sides, F f) {
  if (storage == Storage::complex_double)
    return sides == 1 ? f(Shape<double2, 1>()) : f(Shape<double2, 4>());
  return sides == 1 ? f(Shape<float2, 1>()) : f(Shape<float2, 4>());
}

/// Everything about the partial sums but where they are.
SymvParts plan_parts(PackedTiles layout, Storage storage, int sides,
                     int multiprocessors) {
  return dispatch(storage, sides, [&](auto shape) {
    constexpr tuning::SymvShape tuned = decltype(shape)::tuned;
    const std::size_t runs = static_cast<std::size_t>(multiprocessors) *
                             tuned.blocks_per_sm * symv_runs_per_block();
    SymvParts parts;
    parts.tile_rows = layout.rows();
    parts.super = tuned.super;
    parts.runs = std::min(runs, layout.tiles());
    parts.sides = sides;
    return parts;
  });
}

std::size_t count_parts(const SymvParts& parts) {
  const SuperTiles order{parts.tile_rows, parts.super};
  return (order.super_tiles() + parts.runs) * 2 * parts.super * PackedTiles::tile *
         parts.sides;
}

/// The runs that cross each super-tile.
std::vector<RunRange> runs_across(const SymvParts& parts) {
  const SuperTiles order{parts.tile_rows, parts.super};
  const auto run_of = [&](std::size_t position) {
    return static_cast<std::uint32_t>(((position + 1) * parts.runs - 1) / order.tiles());
  };
  std::vector<RunRange> ranges;
  for (std::size_t q = 0; q < order.groups(); ++q)
    for (std::size_t b = 0; b <= q; ++b) {
      const std::size_t first = order.first(q, b);
      ranges.push_back({run_of(first), run_of(first + order.count(q, b) - 1)});
    }
  return ranges;
}

}  // namespace

DeviceSymv::DeviceSymv(PackedTiles layout, Storage storage, int sides, bool stages)
    : layout_(layout), storage_(storage) {
  if (sides != 1 && sides != 4)
    throw Error(ErrorKind::numeric,
                "symmetric product: right-hand sides must be 1 or 4 "
                "(got " +
                    std::to_string(sides) + ").");
  parts_ = plan_parts(layout, storage, sides, current_device().multiprocessors);
  staged_ = stages && dispatch(storage, sides,
                               [](auto shape) { return can_stage<decltype(shape)>(); });
  values_ = {count_parts(parts_), "partial sums of the symmetric product"};
  parts_.values = values_.data();
  const std::vector<RunRange> ranges = runs_across(parts_);
  ranges_ = {ranges.size(), "partial sums of the symmetric product"};
  const DeviceStream stream;
  ranges_.upload(ranges, stream);
  stream.synchronize();
  parts_.ranges = ranges_.data();
}

std::size_t DeviceSymv::bytes(PackedTiles layout, Storage storage, int sides,
                              int multiprocessors) {
  return count_parts(plan_parts(layout, storage, sides, multiprocessors)) *
         sizeof(Complex);
}

void DeviceSymv::first_pass(const DeviceTiles& z, const Complex* x, const int* skip,
                            const DeviceStream& stream) {
  const FirstPass args = {z.data(),
                          thinwire::parts(x),
                          layout_.padded(),
                          thinwire::parts(parts_.values),
                          {parts_.tile_rows, parts_.super},
                          parts_.runs,
                          skip};
  dispatch(storage_, parts_.sides, [&](auto shape) {
    using S = decltype(shape);
    if (staged_)
      launch_first_pass<S, StagedTiles<S>>(args, stream);
    else
      launch_first_pass<S, DirectTiles<S>>(args, stream);
  });
}

void DeviceSymv::multiply(const DeviceTiles& z, const Complex* x, Complex* y,
                          const DeviceStream& stream) {
  first_pass(z, x, nullptr, stream);
  StoreProduct store;
  store.y = thinwire::parts(y);
  launch_second_pass(parts_, store, stream);
}

}  // namespace thinwire
