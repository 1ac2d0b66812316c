#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cg/direct/split_ldlt.h"
#include "cg/linear_operator.h"
#include "kernels/matrix/packed_tiles.h"

namespace thinwire {

/// Unknowns from which a factorisation gains by threads. Below it threads gain a third at
/// most, and where others work too they lose: two of them wait for each other in every
/// small product of zsytrf. 1,109 unknowns on two cores shared with a compiler took 1.7
/// to 2.9 s with two threads and 0.2 s with one. So smaller ones take one thread, and
/// those who have many solve them side by side.
inline constexpr std::size_t min_unknowns_for_threads = 1500;

/// Factors a dense complex-symmetric matrix once, Z = L D L^T (Bunch and Kaufman 1977),
/// and solves for many right-hand sides at once. Uses as many threads as OpenMP would,
/// from min_unknowns_for_threads on.
///
/// LAPACK's zsytrf against zgetrf, OpenBLAS 0.3.21, two cores of an Intel Xeon
/// (random symmetric matrix, best of three, seconds):
///   n                      500    2000   5000
///   zsytrf, 2 threads    0.005   0.142   1.79
///   zgetrf, 2 threads    0.005   0.165   2.33
///   zsytrf, 1 thread     0.005   0.204
///   zgetrf, 1 thread     0.007   0.297
/// Small matrices in tiles go by SplitLdlt where it is right.
class DirectSolver {
 public:
  /// z: [n * n], column-major, moved in and overwritten by its factors; only the lower
  /// triangle is read. 4/3 n^3 flop. Throws Error{numeric} when the matrix is exactly
  /// singular, when an entry is not finite, and when z is not n x n.
  DirectSolver(std::size_t n, std::vector<Complex>&& z);
  /// tiles: packed_tiles.h, [layout.entries()], copied. Throws likewise.
  DirectSolver(PackedTiles layout, std::span<const Complex> tiles);

  std::size_t size() const { return n_; }
  /// v: [n * count], column-major, right-hand sides; replaced by the solutions. 8 n^2
  /// flop each, by BLAS 3 from min_rhs_for_blas on. For one thread at a time. Throws
  /// Error{numeric} when the length of v is not a multiple of n.
  void solve(std::span<Complex> v) const;
  /// Whether it is clear without an estimate that Z is far from singular.
  bool clearly_regular() const;
  /// Estimate of 1 / (||Z||_1 ||Z^-1||_1): a solution loses about -log10 of it decimal
  /// digits. Costs about five solutions (0.4 s at n = 5000).
  double reciprocal_condition() const;

 private:
  std::size_t n_;
  std::optional<SplitLdlt> split_;  ///< or LAPACK's:
  /// Mutable: zsytrs2 takes the factors apart while it solves, and puts them back.
  mutable std::vector<Complex> factors_;
  std::vector<int> pivots_;
  double norm1_ = 0;
};

/// The BLAS that LAPACK runs on, as it describes itself: "OpenBLAS 0.3.21 ...".
std::string blas_name();

}  // namespace thinwire
