#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "cg/linear_operator.h"

namespace thinwire {

/// Solutions of the last systems of a sequence whose matrices differ little, such as
/// those of a frequency sweep. Their combination of least residual is the initial guess
/// of the next system (P. F. Fischer, "Projection techniques for iterative solution of Ax
/// = b with successive right-hand sides", Comput. Methods Appl. Mech. Eng. 163 (1998)
/// 193-204).
class PreviousSolutions {
 public:
  /// Systems of which solutions are kept.
  static constexpr std::size_t capacity = 4;

  /// Stores the combination X c that minimises ||V - Z X c|| in `current`, for each
  /// right-hand side; zero where nothing is kept. X are the solutions of the systems
  /// whose parameters are nearest, at most max_products of them: each takes a product.
  /// Those whose products are combinations of the others' to `rounding` of their norm are
  /// left out. v, current: [rhs_count][z.size()].
  void combine(const LinearOperator& z, std::span<const Complex> v, double parameter,
               std::size_t max_products, double rounding,
               std::span<Complex> current) const;

  /// Keeps the solutions of the system of this parameter, [rhs_count][n], in place of
  /// those of the system whose parameter is farthest.
  void keep(std::span<const Complex> current, double parameter);

 private:
  struct Kept {
    double parameter;
    std::vector<Complex> current;
  };
  std::vector<Kept> kept_;
};

}  // namespace thinwire
