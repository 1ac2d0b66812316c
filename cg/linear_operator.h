#pragma once

#include <complex>
#include <cstddef>
#include <span>

namespace thinwire {

using Complex = std::complex<double>;

/// A complex-symmetric operator (Z = Z^T, not Hermitian): all that an iterative solver
/// may know of the matrix. Z^H x is conj(Z conj(x)), so one product serves every solver.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  virtual std::size_t size() const = 0;
  /// y = Z x. x, y: [size()], may not alias.
  virtual void apply(std::span<const Complex> x, std::span<Complex> y) const = 0;
  /// Y = Z X for several right-hand sides. X, Y: [rhs_count][size()]. Override it if that
  /// is cheaper than one product after another, as here.
  virtual void apply_many(std::span<const Complex> x, std::span<Complex> y) const {
    const std::size_t n = size();
    for (std::size_t first = 0; first + n <= x.size() && n > 0; first += n)
      apply(x.subspan(first, n), y.subspan(first, n));
  }
};

}  // namespace thinwire
