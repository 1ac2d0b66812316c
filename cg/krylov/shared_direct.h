#pragma once

#include <span>
#include <vector>

#include "cg/direct/shared_ldlt.h"
#include "cg/krylov/solver.h"

namespace thinwire {

/// The direct solver of a SharedMatrix: SharedLdlt, whose want of pivots between blocks
/// refinement makes up for, and where it does not, GMRES with the factors for a
/// preconditioner. All ranks make the same calls and get the same.
class SharedDirectSolver {
 public:
  /// Throws what SharedLdlt does.
  explicit SharedDirectSolver(const SharedMatrix& z, const Monitor& monitor = {})
      : z_(z), vectors_(z.comm()), factors_(z, monitor) {}

  /// v, current: [rhs_count][z.size()]; `current` is overwritten. Iterations are those of
  /// GMRES; breakdown: GMRES did not converge either. Uses the tolerance, max_iterations
  /// and callbacks of `control`.
  std::vector<SolveResult> solve(std::span<const Complex> v, std::span<Complex> current,
                                 const SolverControl& control);

  /// True if the last solve() continued with GMRES.
  bool iterated() const { return iterated_; }

  double reciprocal_condition() const;

 private:
  std::vector<double> refine(std::span<const Complex> v,
                             std::span<Complex> current) const;

  const SharedMatrix& z_;
  WholeVectors vectors_;
  SharedLdlt factors_;
  bool iterated_ = false;
};

}  // namespace thinwire
