#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace thinwire {

using Complex = std::complex<double>;

/// Right-hand sides as sums of a basis, V = L C + E.
struct RhsSums {
  std::vector<Complex> coefficients;  ///< C, [count][rank]
  std::vector<double> norm;           ///< |v| of each, 2-norm
  /// Upper bound of |e| / |v| of each, see RhsSpan::expand(); 0 where v is 0.
  std::vector<double> missed;
};

/// Vectors that join a basis.
struct RhsSpanGrowth {
  std::vector<std::size_t> rows;  ///< row of each one's pivot
  std::vector<Complex> vectors;   ///< [rows.size()][n], of norm 1
};

/// Basis of a space of right-hand sides, with the solution for each basis vector: further
/// right-hand sides in that space are solved for by a sum.
///
/// Plane waves from all directions span far fewer dimensions than a fine mesh has
/// unknowns (about 250 of 720 on 20 half-wave dipoles). The basis
/// comes from Gaussian elimination with complete pivoting of V: each step takes the
/// column that is worst represented, and eliminates the row of its largest entry. So L is
/// lower triangular in the rows of its pivots, and C follows from these rows of V by
/// forward substitution.
class RhsSpan {
 public:
  explicit RhsSpan(std::size_t unknowns);

  std::size_t rank() const { return pivot_rows_.size(); }

  /// Computes C, and from the entries of every v how large its e is. v: [count][n].
  ///
  /// The bound is three times the root mean square of 16 sums of e's entries with random
  /// factors (complex, normally distributed): a vector exceeds that with a probability of
  /// 1e-10 (Halko, Martinsson and Tropp 2011, SIAM Review 53, section 4.3; here the sum
  /// of the squares follows a gamma distribution). 4 rank^2 + 128 (n + rank) flop each,
  /// where e itself would take 8 rank n.
  void expand(std::span<const Complex> v, RhsSums& sums) const;

  /// Returns vectors that represent those of v to `tolerance` whose bound in `sums`, of
  /// v, is larger. Here e is computed itself.
  RhsSpanGrowth growth(std::span<const Complex> v, const RhsSums& sums,
                       double tolerance) const;

  /// Adds basis vectors, their solutions, [added][n], and the relative residuals of
  /// these.
  void add(const RhsSpanGrowth& growth, std::span<const Complex> solutions,
           std::span<const double> residuals);

  /// Forgets all vectors.
  void clear();
  /// Counts the calls of clear().
  int restarts() const { return restarts_; }

  /// Solutions of the basis vectors, [rank][n].
  std::span<const Complex> basis_solutions() const { return solutions_; }
  /// Computes the solutions for the right-hand sides of `sums`, x: [count][n].
  void solve(const RhsSums& sums, std::span<Complex> x) const;
  /// Returns upper bounds of the relative residuals of solve(): with Z X = L - R,
  /// v - Z X c = e + R c, so that |e| + sum |c_i| |r_i| bounds the residual.
  std::vector<double> residual_bounds(const RhsSums& sums) const;

 private:
  void coefficients(std::span<const Complex> v, std::span<Complex> c) const;

  std::size_t n_;
  std::vector<std::size_t> pivot_rows_;
  std::vector<Complex> vectors_, solutions_;  ///< [rank][n]
  std::vector<double> residuals_;             ///< of solutions_, |r_i|
  std::vector<Complex> in_pivots_;            ///< L in the rows of pivots, [rank][rank]
  /// Random factors, [n][probes], and their sums over L, [rank][probes].
  std::vector<Complex> probes_, probed_;
  int restarts_ = 0;
};

}  // namespace thinwire
