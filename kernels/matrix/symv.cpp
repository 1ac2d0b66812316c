#include "kernels/matrix/symv.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/base/simd_clones.h"

namespace thinwire {
namespace {

constexpr std::size_t tile = PackedTiles::tile;

/// One tile used twice, split into real and imaginary parts so that the loops vectorise:
/// row[r] += sum_c A[r][c] x_column[c] and column[c] += sum_r A[r][c] x_row[r].
/// `a` is read as interleaved (re, im) pairs.
THINWIRE_SIMD_CLONES
void multiply_tile(const double* __restrict a, const double* __restrict x_column,
                   const double* __restrict x_row, double* __restrict row,
                   double* __restrict column) {
  for (std::size_t r = 0; r < tile; ++r) {
    const double* __restrict line = a + 2 * tile * r;
    const double x_re = x_row[2 * r], x_im = x_row[2 * r + 1];
    double re_re = 0, im_im = 0, re_im = 0, im_re = 0;
#pragma omp simd reduction(+ : re_re, im_im, re_im, im_re)
    for (std::size_t c = 0; c < tile; ++c) {
      const double a_re = line[2 * c], a_im = line[2 * c + 1];
      re_re += a_re * x_column[2 * c];
      im_im += a_im * x_column[2 * c + 1];
      re_im += a_re * x_column[2 * c + 1];
      im_re += a_im * x_column[2 * c];
      column[2 * c] += a_re * x_re - a_im * x_im;
      column[2 * c + 1] += a_re * x_im + a_im * x_re;
    }
    row[2 * r] += re_re - im_im;
    row[2 * r + 1] += re_im + im_re;
  }
}

/// A diagonal tile is stored whole: one use.
THINWIRE_SIMD_CLONES
void multiply_diagonal_tile(const double* __restrict a, const double* __restrict x,
                            double* __restrict row) {
  for (std::size_t r = 0; r < tile; ++r) {
    const double* __restrict line = a + 2 * tile * r;
    double re = 0, im = 0;
#pragma omp simd reduction(+ : re, im)
    for (std::size_t c = 0; c < tile; ++c) {
      re += line[2 * c] * x[2 * c] - line[2 * c + 1] * x[2 * c + 1];
      im += line[2 * c] * x[2 * c + 1] + line[2 * c + 1] * x[2 * c];
    }
    row[2 * r] += re;
    row[2 * r + 1] += im;
  }
}

}  // namespace

void symv(PackedTiles layout, std::span<const Complex> z, std::span<const Complex> x,
          std::span<Complex> y) {
  symv(layout, TileShare::whole(layout), z, x, y);
}

void symv(PackedTiles layout, TileShare share, std::span<const Complex> z,
          std::span<const Complex> x, std::span<Complex> y) {
  if (layout.n == 0) return;
  const std::size_t rows = layout.rows(), n = layout.n, padded = layout.padded(),
                    rhs_count = x.size() / n;
  std::vector<Complex> padded_x(rhs_count * padded);
  for (std::size_t rhs = 0; rhs < rhs_count; ++rhs)
    std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(rhs * n), n,
                padded_x.begin() + static_cast<std::ptrdiff_t>(rhs * padded));
  std::vector<Complex> row_sums(rhs_count * padded);
  // Contributions of tile (I, J) to block J of y, kept apart until the ordered second
  // pass.
  std::vector<Complex> column_sums(rhs_count * share.size() * tile);
  const auto* a = reinterpret_cast<const double*>(z.data());
  const auto x_of = [&](std::size_t rhs, std::size_t block) {
    return reinterpret_cast<const double*>(&padded_x[rhs * padded + tile * block]);
  };
  const auto row_of = [&](std::size_t rhs, std::size_t block) {
    return reinterpret_cast<double*>(&row_sums[rhs * padded + tile * block]);
  };
  const auto column_of = [&](std::size_t rhs, std::size_t number) {
    return &column_sums[(rhs * share.size() + number - share.first) * tile];
  };

#pragma omp parallel
  {
    // Long rows first: the last chunks handed out are the short ones.
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t step = 0; step < static_cast<std::int64_t>(rows); ++step) {
      const std::size_t i = rows - 1 - static_cast<std::size_t>(step);
      const TileShare columns = share.columns_of(i);
      for (std::size_t j = columns.first; j < std::min(columns.last, i); ++j) {
        const std::size_t number = PackedTiles::tile_number(i, j);
        // Only the first side finds the tile in memory, the others in a cache.
        for (std::size_t rhs = 0; rhs < rhs_count; ++rhs)
          multiply_tile(a + 2 * share.offset(number), x_of(rhs, j), x_of(rhs, i),
                        row_of(rhs, i),
                        reinterpret_cast<double*>(column_of(rhs, number)));
      }
      if (columns.holds(i))
        for (std::size_t rhs = 0; rhs < rhs_count; ++rhs)
          multiply_diagonal_tile(a + 2 * share.offset(PackedTiles::tile_number(i, i)),
                                 x_of(rhs, i), row_of(rhs, i));
    }
#pragma omp for schedule(static) collapse(2)
    for (std::size_t rhs = 0; rhs < rhs_count; ++rhs)
      for (std::size_t j = 0; j < rows; ++j) {
        Complex* sum = &row_sums[rhs * padded + tile * j];
        for (std::size_t i = j + 1; i < rows; ++i) {
          const std::size_t number = PackedTiles::tile_number(i, j);
          if (!share.holds(number)) continue;
          const Complex* part = column_of(rhs, number);
          for (std::size_t c = 0; c < tile; ++c) sum[c] += part[c];
        }
      }
  }
  for (std::size_t rhs = 0; rhs < rhs_count; ++rhs)
    std::copy_n(row_sums.begin() + static_cast<std::ptrdiff_t>(rhs * padded), n,
                y.begin() + static_cast<std::ptrdiff_t>(rhs * n));
}

}  // namespace thinwire
