#pragma once

#include <complex>
#include <cstddef>
#include <span>

namespace thinwire {

using Complex = std::complex<double>;

/// A complex-symmetric operator (Z = Z^T, not Hermitian), the only interface between an
/// iterative solver and its matrix. Z^H x is conj(Z conj(x)), so that one product serves
/// every solver.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  virtual std::size_t size() const = 0;
  /// y = Z x. x, y: [size()], may not alias.
  virtual void apply(std::span<const Complex> x, std::span<Complex> y) const = 0;
  /// Y = Z X for several vectors. X, Y: [vectors][size()]. The default applies Z to one
  /// vector after another.
  virtual void apply_many(std::span<const Complex> x, std::span<Complex> y) const {
    const std::size_t n = size();
    for (std::size_t first = 0; first + n <= x.size() && n > 0; first += n)
      apply(x.subspan(first, n), y.subspan(first, n));
  }
};

}  // namespace thinwire
