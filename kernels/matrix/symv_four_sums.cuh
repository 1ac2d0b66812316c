#pragma once

#include "kernels/matrix/symv_sums.cuh"

namespace thinwire::device {

/// c += a b in double on the tensor cores (PTX ISA, mma.m16n8k4 and m8n8k4 for .f64).
/// With lane = 4 g + t: a holds A[g][t], and A[g + 8][t] of 16 rows; b holds B[t][g]; c
/// holds C[g][2 t], C[g][2 t + 1], then row g + 8.
__device__ inline void multiply_16x8(double (&c)[4], double a_low, double a_high,
                                     double b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, "
      "{%6}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a_low), "d"(a_high), "d"(b));
#endif
}
__device__ inline void multiply_8x8(double (&c)[2], double a, double b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a), "d"(b));
#endif
}

/// The sums of four right-hand sides on the tensor cores, where one product by one thread
/// would be bound by instructions. The eight columns of a real product hold the four
/// right-hand sides, real and imaginary parts in turn, so that Z X is two real products,
///
///     [Re y0  Im y0  Re y1 ...] += Re Z [Re x0  Im x0 ...] + Im Z [-Im x0  Re x0 ...]
///
/// A warp owns eight columns of the tile and all of its rows, and reads its entries
/// twice: as Z for the rows of y, as Z^T for the columns. With the tile swizzled and its
/// rows distributed to lanes as below, neither read has bank conflicts.
template <class S>
class FourRhsSums {
  static_assert(S::RhsCount == 4 && S::swizzled);
  static constexpr int column_warps = symv_tile / 8;
  static_assert(S::threads == 32 * column_warps);
  static constexpr int round_rows = 32;  // of the row sums, added up at once

 public:
  static constexpr int column_values = S::super * 4 * symv_tile;
  static constexpr int scratch_values = column_warps * 4 * round_rows;

  __device__ FourRhsSums()
      : g_(threadIdx.x % 32 / 4), t_(threadIdx.x % 4), warp_(threadIdx.x / 32) {}

  __device__ void start_row(const TileView<S>& view) {
#pragma unroll
    for (auto& block : row_)
#pragma unroll
      for (double& sum : block) sum = 0;
#pragma unroll
    for (int q = 0; q < symv_tile / 4; ++q)
      x_row_[q] = factors(view.x_rows[g_ / 2 * view.x_stride + row_of_column_sum(q)]);
  }

  __device__ void add_tile(const TileView<S>& view) {
    using Tile = SwizzledTile<typename S::Entry>;
    double2 x_column[2];
#pragma unroll
    for (int h = 0; h < 2; ++h)
      x_column[h] =
          factors(view.x_columns[g_ / 2 * view.x_stride + 8 * warp_ + 4 * h + t_]);
#pragma unroll
    for (auto& parity : column_)
#pragma unroll
      for (auto& part : parity) part[0] = part[1] = 0;
#pragma unroll
    for (int b = 0; b < symv_tile / 16; ++b) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int row = 16 * b + row_of_row_sum(), column = 8 * warp_ + 4 * h + t_;
        const double2 low = widen(*Tile::at(view.entries, row, column)),
                      high = widen(*Tile::at(view.entries, row + 8, column));
        multiply_16x8(row_[b], low.x, high.x, x_column[h].x);
        multiply_16x8(row_[b], low.y, high.y, x_column[h].y);
      }
#pragma unroll
      for (int q = 4 * b; q < 4 * b + 4; ++q) {
        const double2 entry =
            widen(*Tile::at(view.entries, row_of_column_sum(q), 8 * warp_ + g_));
        multiply_8x8(column_[q % 2][0], entry.x, x_row_[q].x);
        multiply_8x8(column_[q % 2][1], entry.y, x_row_[q].y);
      }
    }
  }

  /// to: [super][4][64] at the tile's column.
  __device__ void end_tile(double2* to, bool diagonal) {
    // A diagonal tile is stored whole: its rows are all there is to it.
    if (diagonal) return;
    double2& total = to[t_ * symv_tile + 8 * warp_ + g_];
    const auto& c = column_;
    total = total + double2{(c[0][0][0] + c[0][1][0]) + (c[1][0][0] + c[1][1][0]),
                            (c[0][0][1] + c[0][1][1]) + (c[1][0][1] + c[1][1][1])};
  }

  /// The sums of the rows, over the warps, to `to`: [4][64]. By the whole block;
  /// `scratch` may still be read when it returns.
  __device__ void store_rows(double2* scratch, double2* to) {
#pragma unroll
    for (int round = 0; round < symv_tile / round_rows; ++round) {
      if (round > 0) __syncthreads();
#pragma unroll
      for (int b = 0; b < round_rows / 16; ++b) {
        const auto& sum = row_[round * (round_rows / 16) + b];
        double2* of_warp =
            scratch + (warp_ * 4 + t_) * round_rows + 16 * b + row_of_row_sum();
        of_warp[0] = {sum[0], sum[1]};
        of_warp[8] = {sum[2], sum[3]};
      }
      __syncthreads();
      for (int k = threadIdx.x; k < 4 * round_rows; k += S::threads) {
        double2 sum = scratch[k];
#pragma unroll
        for (int w = 1; w < column_warps; ++w)
          sum = sum + scratch[w * 4 * round_rows + k];
        to[k / round_rows * symv_tile + round * round_rows + k % round_rows] = sum;
      }
    }
  }

 private:
  /// Returns the factors of Re Z and Im Z in column g of the real product, from x.
  __device__ double2 factors(double2 x) const {
    return g_ % 2 == 0 ? double2{x.x, -x.y} : double2{x.y, x.x};
  }
  /// Rows of lanes with neighbouring g, in the order 0 4 2 6 1 5 3 7, and with
  /// neighbouring t, two apart: different in the bits that the columns of a quarter (of a
  /// half, in single) warp leave the same.
  __device__ int row_of_row_sum() const {
    return (g_ & 1) << 2 | (g_ & 2) | (g_ & 4) >> 2;
  }
  __device__ int row_of_column_sum(int q) const {
    return q / 2 * 8 + 2 * t_ + q % 2;
  }

  const int g_, t_, warp_;
  double row_[symv_tile / 16][4];  // sums: rows g and g + 8 of 16, side t
  double column_[2][2][2];         // column g, side t; of even and odd q, of Re and Im Z
  double2 x_row_[symv_tile / 4];   // factors
};

}  // namespace thinwire::device
