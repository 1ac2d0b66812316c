#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cg/linear_operator.h"

namespace thinwire {

/// Solutions x of A x = b of a small dense system that may be singular but consistent:
/// there, the x of least norm (LAPACK's zgelsy, by QR with column pivots, and two steps
/// of refinement). Every row is scaled to a largest entry of 1 first, so that rows of
/// very different units do no harm. matrix: [n * n], b: [n * rhs_count], both
/// column-major. Returns [n * rhs_count]. Throws Error{numeric} where an entry is not
/// finite.
///
/// residual: the largest |A x - b| of a scaled row, over the largest scaled |b|: about
/// 1e-15, and large where the equations contradict each other.
struct MinimumNorm {
  std::vector<Complex> x;
  double residual = 0;
  std::size_t rank = 0;  ///< of A; below n there are other solutions
};
MinimumNorm minimum_norm_solution(std::size_t n, std::vector<Complex> matrix,
                                  std::vector<Complex> b);

}  // namespace thinwire
