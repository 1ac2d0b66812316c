#pragma once

#include "kernels/device/complex.cuh"
#include "kernels/matrix/symv_stages.cuh"

namespace thinwire::device {

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

/// V entries of a tile, widened.
__device__ inline void load_entries(const double2* from, double2 (&entry)[1]) {
  entry[0] = *from;
}
__device__ inline void load_entries(const float2* from, double2 (&entry)[2]) {
  const float4 two = *reinterpret_cast<const float4*>(from);
  entry[0] = {two.x, two.y};
  entry[1] = {two.z, two.w};
}

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

/// The sums of one thread over a run of tiles in one tile row, for one right-hand side.
/// Who holds what of a tile: a thread owns R rows, and a load of 16 bytes in each, V
/// entries.
///
///            columns, 8 lanes x V entries: all that a warp has
///            l=0   l=1   ...  l=7
///     row 0  | g=0: 128 bytes in one piece    |
///     row 1  | g=1                            |      lane = 8 g + l
///     row 2  | g=2                            |      no two lanes of a quarter warp
///     row 3  | g=3                            |      meet in a bank
///     row 4  | the next warp on these columns, or the next row of the thread ...
///
/// A column's sum never leaves its warp, and the sums of the rows stay in registers from
/// tile to tile.
template <class S>
class OneRhsSums {
  static constexpr int R = S::rows, V = S::V;
  static constexpr int row_warps = S::row_warps, column_warps = S::column_warps;
  static_assert(R % 8 == 0);

 public:
  /// Values of shared memory: sums of columns, apart for each of the warps that share
  /// columns, and for the end of a row.
  static constexpr int column_values = row_warps * S::super * symv_tile;
  static constexpr int scratch_values = column_warps * symv_tile;

  __device__ OneRhsSums()
      : l_(threadIdx.x % 8),
        g_(threadIdx.x / 8 % 4),
        row_warp_(threadIdx.x / 32 % row_warps),
        column_warp_(threadIdx.x / 32 / row_warps) {}

  __device__ void start_row(const TileView<S>& view) {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      row_[r] = {0, 0};
      x_row_[r] = view.x_rows[row_of(r)];
    }
  }

  /// Uses a tile twice.
  __device__ void add_tile(const TileView<S>& view) {
    double2 x_column[V];
#pragma unroll
    for (int v = 0; v < V; ++v) {
      x_column[v] = view.x_columns[column() + v];
      column_[v] = {0, 0};
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      double2 a[V];
      load_entries(view.entries + row_of(r) * symv_tile + column(), a);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        add_product(row_[r], a[v], x_column[v]);
        add_product(column_[v], a[v], x_row_[r]);
      }
    }
  }

  /// Adds the column sums of a tile over the four row groups of the warp, into to:
  /// [row_warps][super][64] at the tile's column. No other warp touches the values that
  /// this one adds to.
  __device__ void end_tile(double2* to, bool diagonal) {
    fold<V>(column_, 8, g_ & 1);
    fold<V / 2 + V % 2>(column_, 16, g_ & 2);
    // A diagonal tile is stored whole: its rows are all there is to it. Tested here and
    // not around the shuffles, which the compiler wants whole warps for.
    if (diagonal) return;
    // Where there are fewer values than groups, the groups hold copies.
    if (g_ >= V) return;
    double2& total = to[row_warp_ * (S::super * symv_tile) + column() + (V > 1 ? g_ : 0)];
    total = total + column_[0];
  }

  /// The sums of the rows, over all that share them, to `to`: [64]. By the whole block;
  /// `scratch` may still be read when it returns.
  __device__ void store_rows(double2* scratch, double2* to) {
    fold<R>(row_, 1, l_ & 1);
    fold<R / 2>(row_, 2, l_ & 2);
    fold<R / 4>(row_, 4, l_ & 4);
    const int first =
        (l_ & 1) * (R / 2) + ((l_ >> 1) & 1) * (R / 4) + (l_ >> 2) * (R / 8);
#pragma unroll
    for (int k = 0; k < R / 8; ++k)
      scratch[column_warp_ * symv_tile + row_of(first + k)] = row_[k];
    __syncthreads();
    add_up<symv_tile, column_warps, S::threads>(scratch, to);
  }

 private:
  __device__ int row_of(int r) const {
    return 4 * (r * row_warps + row_warp_) + g_;
  }
  __device__ int column() const {
    return (column_warp_ * 8 + l_) * V;
  }

  const int l_, g_, row_warp_, column_warp_;
  double2 row_[R], column_[V];  // sums
  double2 x_row_[R];            // x of the tile's rows
};

}  // namespace thinwire::device
