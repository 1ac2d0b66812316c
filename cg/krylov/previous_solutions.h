#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "cg/linear_operator.h"

namespace thinwire {

/// Solutions of earlier systems of a sequence whose matrices differ little, such as those
/// of a frequency sweep. The linear combination of them with the smallest residual is the
/// initial guess for the next system (P. F. Fischer, "Projection techniques for iterative
/// solution of Ax = b with successive right-hand sides", Comput. Methods Appl. Mech. Eng.
/// 163 (1998) 193-204).
class PreviousSolutions {
 public:
  /// Number of systems whose solutions are kept.
  static constexpr std::size_t capacity = 4;

  /// Stores X c in `current` for each right-hand side v, where c minimises ||v - Z X c||;
  /// zero if nothing is kept. The columns of X are the kept solutions of the systems with
  /// the nearest parameters, at most max_products of them, because each costs a product
  /// with Z. A column x is left out if Z x is linearly dependent on the products of the
  /// columns before it, up to `rounding` of its norm. v, current: [rhs_count][z.size()].
  void combine(const LinearOperator& z, std::span<const Complex> v, double parameter,
               std::size_t max_products, double rounding,
               std::span<Complex> current) const;

  /// Keeps the solutions [rhs_count][n] of the system with this parameter. At `capacity`
  /// they replace those of the system with the most distant parameter.
  void keep(std::span<const Complex> current, double parameter);

 private:
  struct Kept {
    double parameter;
    std::vector<Complex> current;
  };
  std::vector<Kept> kept_;
};

}  // namespace thinwire
