#include "cg/direct/split_ldlt.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cg/blas_threads.h"
#include "cg/many_rhs.h"
#include "kernels/base/simd_clones.h"

namespace thinwire {
namespace {

/// Columns eliminated before those left of them see it: in two steps, so that most of
/// the work is in products of some depth and their operand stays in a core's cache.
constexpr std::size_t panel = 32, part_of_panel = 8;

/// The vector of one instruction; wider ones are composed of these.
using Vector = double __attribute__((vector_size(32), aligned(8)));
constexpr std::size_t lanes = sizeof(Vector) / sizeof(double);

std::size_t whole_vectors(std::size_t n) {
  return (n + lanes - 1) / lanes * lanes;
}

/// Real and imaginary parts of columns, `leading` apart.
struct Columns {
  double *re, *im;
  std::size_t leading;
};

/// c_j -= sum_p w[p][j] l_p, rows 0 .. rows - 1, j < count: l is read once for all j, and
/// c once for all p. w: [depth][count], real part and imaginary part.
template <std::size_t count>
THINWIRE_INLINE void subtract_products(Columns l, std::size_t depth, const double* w,
                                       Columns c, std::size_t rows) {
  for (std::size_t r = 0; r < rows; r += lanes) {
    Vector re[count] = {}, im[count] = {};
    for (std::size_t p = 0; p < depth; ++p) {
      const auto l_re = *reinterpret_cast<const Vector*>(l.re + p * l.leading + r),
                 l_im = *reinterpret_cast<const Vector*>(l.im + p * l.leading + r);
      const double* w_p = w + 2 * count * p;
#pragma GCC unroll 4
      for (std::size_t j = 0; j < count; ++j) {
        re[j] += w_p[2 * j] * l_re - w_p[2 * j + 1] * l_im;
        im[j] += w_p[2 * j] * l_im + w_p[2 * j + 1] * l_re;
      }
    }
#pragma GCC unroll 4
    for (std::size_t j = 0; j < count; ++j) {
      *reinterpret_cast<Vector*>(c.re + j * c.leading + r) -= re[j];
      *reinterpret_cast<Vector*>(c.im + j * c.leading + r) -= im[j];
    }
  }
}

THINWIRE_SIMD_CLONES
void subtract_from_four(Columns l, std::size_t depth, const double* w, Columns c,
                        std::size_t rows) {
  subtract_products<4>(l, depth, w, c, rows);
}
THINWIRE_SIMD_CLONES
void subtract_from_one(Columns l, std::size_t depth, const double* w, Columns c,
                       std::size_t rows) {
  subtract_products<1>(l, depth, w, c, rows);
}

THINWIRE_SIMD_CLONES
void take_apart(const Complex* from, std::size_t count, double* __restrict re,
                double* __restrict im) {
  const auto* number = reinterpret_cast<const double*>(from);
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    re[i] = number[2 * i];
    im[i] = number[2 * i + 1];
  }
}

/// |Re| + |Im| of some entries, and their largest part.
struct Sizes {
  double sum, largest;
};
/// Adds each to one of the column sums.
THINWIRE_SIMD_CLONES
Sizes add_sizes(const double* __restrict re, const double* __restrict im,
                std::size_t count, double* __restrict column_sum) {
  double sum = 0, largest = 0;
#pragma omp simd reduction(+ : sum) reduction(max : largest)
  for (std::size_t i = 0; i < count; ++i) {
    const double x = std::fabs(re[i]), y = std::fabs(im[i]);
    column_sum[i] += x + y;
    sum += x + y;
    largest = std::max(largest, std::max(x, y));
  }
  return {sum, largest};
}

/// Multiplies rows 0 .. rows - 1 by a number; returns the largest part that was there.
THINWIRE_SIMD_CLONES
double scale(double* __restrict re, double* __restrict im, std::size_t rows, double by_re,
             double by_im) {
  double largest = 0;
#pragma omp simd reduction(max : largest)
  for (std::size_t r = 0; r < rows; ++r) {
    const double x = re[r], y = im[r];
    largest = std::max(largest, std::max(std::fabs(x), std::fabs(y)));
    re[r] = x * by_re - y * by_im;
    im[r] = x * by_im + y * by_re;
  }
  return largest;
}

/// x -= l b.
THINWIRE_SIMD_CLONES
void subtract(const double* __restrict l_re, const double* __restrict l_im,
              std::size_t rows, Complex b, double* __restrict x_re,
              double* __restrict x_im) {
  const double b_re = b.real(), b_im = b.imag();
#pragma omp simd
  for (std::size_t r = 0; r < rows; ++r) {
    x_re[r] -= l_re[r] * b_re - l_im[r] * b_im;
    x_im[r] -= l_re[r] * b_im + l_im[r] * b_re;
  }
}

/// l^T x.
THINWIRE_SIMD_CLONES
void dotu(const double* __restrict l_re, const double* __restrict l_im, std::size_t rows,
          const double* __restrict x_re, const double* __restrict x_im, double sum[2]) {
  double re = 0, im = 0;
#pragma omp simd reduction(+ : re, im)
  for (std::size_t r = 0; r < rows; ++r) {
    re += l_re[r] * x_re[r] - l_im[r] * x_im[r];
    im += l_re[r] * x_im[r] + l_im[r] * x_re[r];
  }
  sum[0] = re;
  sum[1] = im;
}

}  // namespace

SplitLdlt::SplitLdlt(PackedTiles layout, std::span<const Complex> tiles)
    : n_(layout.n),
      leading_(whole_vectors(layout.n) + lanes),
      parts_(std::make_unique_for_overwrite<double[]>(2 * leading_ * n_)),
      pivots_(n_) {
  take(layout, tiles);
  factor();
}

/// Copies the triangle, and takes its norms.
void SplitLdlt::take(PackedTiles layout, std::span<const Complex> tiles) {
  std::vector<double> column_sum(n_, 0.0);
  for (std::size_t row = 0; row < n_; ++row) {
    for (std::size_t first = 0; first <= row; first += PackedTiles::tile)
      take_apart(&tiles[layout.offset(row, first)],
                 std::min(PackedTiles::tile, row + 1 - first), re(row) + first,
                 im(row) + first);
    const Sizes sizes = add_sizes(re(row), im(row), row, column_sum.data());
    const double x = std::fabs(re(row)[row]), y = std::fabs(im(row)[row]);
    column_sum[row] += sizes.sum + x + y;
    largest_ = std::max({largest_, sizes.largest, x, y});
  }
  if (n_ > 0) norm1_ = *std::max_element(column_sum.begin(), column_sum.end());
}

void SplitLdlt::factor() {
  for (std::size_t last = n_; last > 0;) {
    const std::size_t first = last - std::min(last, panel);
    for (std::size_t part_last = last; part_last > first;) {
      const std::size_t part_first =
          part_last - std::min(part_last - first, part_of_panel);
      for (std::size_t column = part_last; column-- > part_first;) {
        if (!scale_column(column)) return;
        eliminate({column, column + 1}, {part_first, column});
      }
      eliminate({part_first, part_last}, {first, part_first});
      part_last = part_first;
    }
    eliminate({first, last}, {0, first});
    last = first;
  }
  growth_ = left_ / largest_;
}

/// Divides a column by its pivot; false where that can't be.
bool SplitLdlt::scale_column(std::size_t column) {
  const Complex pivot(re(column)[column], im(column)[column]), factor = 1.0 / pivot;
  pivots_[column] = pivot;
  smallest_ = std::min(smallest_, std::abs(pivot));
  left_ = std::max({left_, std::fabs(pivot.real()), std::fabs(pivot.imag()),
                    scale(re(column), im(column), column, factor.real(), factor.imag())});
  return std::isfinite(factor.real()) && std::isfinite(factor.imag());
}

/// Takes what the eliminated columns have from those left of them.
void SplitLdlt::eliminate(Range done, Range left) {
  double w[panel * 4 * 2];
  for (std::size_t j = left.first; j < left.last;) {
    const std::size_t count = left.last - j >= 4 ? 4 : 1, rows = whole_vectors(j + count);
    for (std::size_t p = done.first; p < done.last; ++p)
      for (std::size_t i = 0; i < count; ++i) {
        const Complex entry = pivots_[p] * Complex(re(p)[j + i], im(p)[j + i]);
        double* to = w + 2 * (count * (p - done.first) + i);
        to[0] = entry.real();
        to[1] = entry.imag();
      }
    (count == 4 ? subtract_from_four : subtract_from_one)(
        {re(done.first), im(done.first), leading_}, done.last - done.first, w,
        {re(j), im(j), leading_}, rows);
    j += count;
  }
}

void SplitLdlt::solve(std::span<Complex> v) const {
  const std::size_t count = v.size() / n_;
  if (count >= min_rhs_for_blas) {
    for_chunks_of_rhs(count, [&](std::size_t first, std::size_t some) {
      solve_together(v.subspan(first * n_, some * n_));
    });
  } else {
    for (std::size_t first = 0; first < v.size(); first += n_)
      solve_one(v.subspan(first, n_));
  }
}

void SplitLdlt::solve_one(std::span<Complex> v) const {
  std::vector<double> x(2 * n_);
  double *x_re = x.data(), *x_im = x_re + n_;
  for (std::size_t i = 0; i < n_; ++i) {
    x_re[i] = v[i].real();
    x_im[i] = v[i].imag();
  }
  for (std::size_t j = n_; j-- > 0;)
    subtract(re(j), im(j), j, {x_re[j], x_im[j]}, x_re, x_im);
  for (std::size_t j = 0; j < n_; ++j) {
    double sum[2];
    dotu(re(j), im(j), j, x_re, x_im, sum);
    const Complex here = Complex(x_re[j], x_im[j]) / pivots_[j] - Complex(sum[0], sum[1]);
    x_re[j] = here.real();
    x_im[j] = here.imag();
    v[j] = here;
  }
}

/// Solves for all right-hand sides by panels of U, put together again: U y = v from the
/// last panel to the first, then U^T x = y / D from the first to the last.
void SplitLdlt::solve_together(std::span<Complex> v) const {
  const auto order = static_cast<int>(n_), count = static_cast<int>(v.size() / n_);
  const Complex one = 1, minus_one = -1;
  std::vector<Complex> u(n_ * std::min(n_, panel));
  const auto take_panel = [&](Range range) {
    for (std::size_t j = range.first; j < range.last; ++j)
      for (std::size_t i = 0; i < j; ++i)
        u[i + (j - range.first) * n_] = {re(j)[i], im(j)[i]};
  };
  const auto multiply = [&](Range range, CBLAS_TRANSPOSE transpose) {
    const bool plain = transpose == CblasNoTrans;
    const auto above = static_cast<int>(range.first),
               width = static_cast<int>(range.last - range.first);
    if (above == 0) return;
    cblas_zgemm(CblasColMajor, transpose, CblasNoTrans, plain ? above : width, count,
                plain ? width : above, &minus_one, u.data(), order,
                &v[plain ? range.first : 0], order, &one, &v[plain ? 0 : range.first],
                order);
  };
  const auto solve_diagonal = [&](Range range, CBLAS_TRANSPOSE transpose) {
    cblas_ztrsm(CblasColMajor, CblasLeft, CblasUpper, transpose, CblasUnit,
                static_cast<int>(range.last - range.first), count, &one, &u[range.first],
                order, &v[range.first], order);
  };
  const std::size_t panels = (n_ + panel - 1) / panel;
  const auto range_of = [&](std::size_t p) {
    return Range{p * panel, std::min(n_, (p + 1) * panel)};
  };
  for (std::size_t p = panels; p-- > 0;) {
    take_panel(range_of(p));
    solve_diagonal(range_of(p), CblasNoTrans);
    multiply(range_of(p), CblasNoTrans);
  }
  for (std::size_t i = 0; i < v.size(); ++i) v[i] /= pivots_[i % n_];
  for (std::size_t p = 0; p < panels; ++p) {
    take_panel(range_of(p));
    multiply(range_of(p), CblasTrans);
    solve_diagonal(range_of(p), CblasTrans);
  }
}

}  // namespace thinwire
