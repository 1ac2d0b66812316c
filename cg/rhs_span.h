#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace thinwire {

using Complex = std::complex<double>;

/// Right-hand sides as linear combinations of the basis vectors L: V = L C + E, where E
/// is the part outside the space that they span.
struct RhsSums {
  std::vector<Complex> coefficients;  ///< C, [count][rank]
  std::vector<double> norm;           ///< |v| of each column v of V, 2-norm
  /// Upper bound of |e| / |v| for each column, see RhsSpan::expand(); 0 where v is 0.
  std::vector<double> missed;
};

/// Vectors that extend a basis.
struct RhsSpanGrowth {
  std::vector<std::size_t> rows;  ///< row of the pivot of each vector
  std::vector<Complex> vectors;   ///< [rows.size()][n], with norm 1
};

/// Basis of a space of right-hand sides, with the solution for each basis vector. The
/// solution for any right-hand side in that space is a linear combination of them.
///
/// Plane waves from all directions span far fewer dimensions than a fine mesh has
/// unknowns (about 250 of 720 on 20 half-wave dipoles). The basis comes from Gaussian
/// elimination of V with complete pivoting: each step chooses the column that the basis
/// represents worst, and eliminates the row of its largest entry. L is therefore lower
/// triangular in the rows of its pivots, and C follows from these rows of V by forward
/// substitution.
class RhsSpan {
 public:
  explicit RhsSpan(std::size_t unknowns);

  std::size_t rank() const { return pivot_rows_.size(); }

  /// Computes the coefficients C, the norms of V, and bounds of |e| / |v|. v: [count][n].
  ///
  /// The bound is three times the root mean square of 16 sums of the entries of e with
  /// random factors (complex, normally distributed). |e| exceeds it with a probability of
  /// 1e-10 (Halko, Martinsson and Tropp 2011, SIAM Review 53, section 4.3; here the sum
  /// of the squares follows a gamma distribution). 4 rank^2 + 128 (n + rank) flop for
  /// each right-hand side, where e itself would take 8 rank n.
  void expand(std::span<const Complex> v, RhsSums& sums) const;

  /// Returns the vectors that the basis lacks to represent V to `tolerance`. sums: from
  /// expand(v); only right-hand sides whose bound there exceeds `tolerance` are
  /// considered. Computes e itself, not a bound.
  RhsSpanGrowth growth(std::span<const Complex> v, const RhsSums& sums,
                       double tolerance) const;

  /// Adds basis vectors. solutions: [added][n]. residuals: [added], relative residuals of
  /// the solutions.
  void add(const RhsSpanGrowth& growth, std::span<const Complex> solutions,
           std::span<const double> residuals);

  /// Removes all basis vectors.
  void clear();
  /// Returns the number of calls of clear().
  int restarts() const { return restarts_; }

  /// Returns the solutions for the basis vectors, [rank][n].
  std::span<const Complex> basis_solutions() const { return solutions_; }
  /// Returns upper bounds of the relative residuals of the sums X c of solutions, one for
  /// each right-hand side of `sums`. With Z X = L - R the residual is v - Z X c = e + R
  /// c, and |e| + sum |c_i| |r_i| bounds its norm.
  std::vector<double> residual_bounds(const RhsSums& sums) const;

 private:
  void coefficients(std::span<const Complex> v, std::span<Complex> c) const;

  std::size_t n_;
  std::vector<std::size_t> pivot_rows_;
  std::vector<Complex> vectors_, solutions_;  ///< [rank][n]
  std::vector<double> residuals_;             ///< |r_i|, of solutions_
  std::vector<Complex> in_pivots_;            ///< rows of L with the pivots, [rank][rank]
  /// Random factors, [n][probes], and the sums of L with them, [rank][probes].
  std::vector<Complex> probes_, probed_;
  int restarts_ = 0;
};

}  // namespace thinwire
