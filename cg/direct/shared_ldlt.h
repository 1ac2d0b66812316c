#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cg/preconditioner.h"
#include "cg/shared_matrix.h"
#include "kernels/base/monitor.h"

namespace thinwire {

/// Z = L D L^T over the ranks of a SharedMatrix, in complex double, D of dense blocks of
/// `width`, each inverted with pivots; between blocks there is no pivoting. Columns of
/// blocks are distributed cyclically over the ranks. For each, as in BlockLdlt, its rank
/// makes
///
///     X = A_kk^-1,   W = A_ik,   L = W X     (i > k)
///
/// and sends W and L to all, who update their own columns j > k: A_ij -= L_i W_j^T. That
/// is 4/3 n^3 / ranks flop each, as matrix products, and 32 n width bytes a step to all.
/// Memory: 8 n^2 / ranks bytes each beside the matrix itself, and two panels of
/// 16 n width.
///
/// What is lost for want of pivots shows in the residual, and refinement restores it:
/// SharedDirectSolver.
class SharedLdlt final : public Preconditioner {
 public:
  static constexpr std::size_t default_width = 128;

  /// width: a multiple of PackedTiles::tile. Throws Error{numeric} on all ranks where a
  /// block is exactly singular or has an entry that is not finite, and what `monitor`
  /// throws, which is asked at each step. Together.
  explicit SharedLdlt(const SharedMatrix& z, const Monitor& monitor = {},
                      std::size_t width = default_width);

  std::size_t size() const override { return n_; }
  /// z = (L D L^T)^-1 r. Together.
  void apply(std::span<const Complex> r, std::span<Complex> z) const override;
  /// v: [rhs_count][n], replaced by the solutions. Collective.
  void solve(std::span<Complex> v) const;

  /// Bytes on the rank that has most, panels included.
  static std::size_t bytes(std::size_t n, int ranks, std::size_t width = default_width);

 private:
  std::size_t first(std::size_t block) const { return block * width_; }
  std::size_t columns_of(std::size_t block) const;
  /// Its rows, and those below its diagonal block.
  std::size_t rows_of(std::size_t block) const { return n_ - first(block); }
  std::size_t below(std::size_t block) const {
    return rows_of(block) - columns_of(block);
  }
  int owner(std::size_t block) const;
  bool is_own(std::size_t block) const { return owner(block) == comm_.rank(); }
  /// Returns a block column of this rank.
  std::vector<Complex>& column(std::size_t block);
  const std::vector<Complex>& column(std::size_t block) const;

  void take(const SharedMatrix& z);
  void factor(const Monitor& monitor);
  int eliminate(std::size_t block, std::span<Complex> w, std::span<Complex> l);
  void update(std::size_t by, std::span<const Complex> w, std::span<const Complex> l);

  std::size_t n_, width_, blocks_;
  const Comm& comm_;
  /// Block columns of this rank, in order: from its diagonal down, column-major; once
  /// eliminated, X and L below it.
  std::vector<std::vector<Complex>> columns_;
};

}  // namespace thinwire
