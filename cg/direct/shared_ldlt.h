#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "cg/direct/ldlt_layout.h"
#include "cg/preconditioner.h"
#include "cg/shared_matrix.h"
#include "kernels/base/monitor.h"

namespace thinwire {

/// Z = L D L^T over the ranks of a SharedMatrix, in complex double: BlockLdlt with blocks
/// of `width`, each inverted with pivots; between blocks there is no pivoting. That is
/// 4/3 n^3 / ranks flop each, as matrix products, and 32 n width bytes a step to all.
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

  std::size_t size() const override { return layout_.n; }
  /// z = (L D L^T)^-1 r. Together.
  void apply(std::span<const Complex> r, std::span<Complex> z) const override;
  /// v: [rhs_count][n], replaced by the solutions. Collective.
  void solve(std::span<Complex> v) const;

  /// Bytes on the rank that has most, panels included.
  static std::size_t bytes(std::size_t n, int ranks, std::size_t width = default_width);

 private:
  static LdltLayout layout_of(std::size_t n, int ranks, int rank, std::size_t width);
  void take(const SharedMatrix& z);

  const Comm& comm_;
  LdltLayout layout_;
  std::unique_ptr<Complex[]> a_;  ///< [layout_.entries()]
};

}  // namespace thinwire
