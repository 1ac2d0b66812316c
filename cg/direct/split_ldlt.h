#pragma once

#include <complex>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "kernels/matrix/packed_tiles.h"

namespace thinwire {

using Complex = std::complex<double>;

/// Z = U D U^T of a complex-symmetric matrix of some hundred unknowns, U with ones on the
/// diagonal, on one thread and without pivoting: unknowns are eliminated from the last to
/// the first. Real and imaginary parts are kept apart, so that the products of panels
/// run in vectors, at 80 % of what zgemm does.
///
/// Without pivoting the result is accurate if the remaining entries do not grow beyond
/// those of Z. On impedance matrices they hardly do; growth() measures it.
class SplitLdlt {
 public:
  /// tiles: packed_tiles.h, [layout.entries()].
  SplitLdlt(PackedTiles layout, std::span<const Complex> tiles);

  /// Largest entry of what was left at any step over the largest of Z: the error is that
  /// of the rounding times this. Not finite where a pivot was zero.
  double growth() const { return growth_; }

  /// The smallest of D over the largest entry of Z. Where it is far above the rounding, Z
  /// is far from singular, as far as can be determined without a solution.
  double smallest_pivot() const { return smallest_ / largest_; }

  /// 1-norm of Z, by |Re| + |Im| of the entries: 1 to 1.4 times that of their absolute
  /// values.
  double norm1() const { return norm1_; }

  /// v: [n * count], column-major, right-hand sides; replaced by the solutions. Many of
  /// them are solved for together, by BLAS, and by all threads.
  void solve(std::span<Complex> v) const;

 private:
  struct Range {
    std::size_t first, last;
  };

  /// Entry (i, j), i <= j, is at [i] of column j: columns of the upper triangle, which
  /// are rows of the lower one. Below the diagonal there are any numbers.
  double* re(std::size_t column) { return parts_.get() + column * leading_; }
  double* im(std::size_t column) { return re(column) + n_ * leading_; }
  const double* re(std::size_t column) const { return parts_.get() + column * leading_; }
  const double* im(std::size_t column) const { return re(column) + n_ * leading_; }

  void take(PackedTiles layout, std::span<const Complex> tiles);
  void factor();
  bool scale_column(std::size_t column);
  void eliminate(Range done, Range left);
  void solve_one(std::span<Complex> v) const;
  void solve_together(std::span<Complex> v) const;

  std::size_t n_, leading_;
  std::unique_ptr<double[]> parts_;  ///< real parts, then imaginary ones
  std::vector<Complex> pivots_;      ///< D
  double norm1_ = 0, largest_ = 0, left_ = 0;
  double smallest_ = std::numeric_limits<double>::infinity();
  double growth_ = std::numeric_limits<double>::infinity();
};

}  // namespace thinwire
