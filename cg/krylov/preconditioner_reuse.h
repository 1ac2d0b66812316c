#pragma once

#include <span>

#include "cg/krylov/solver.h"

namespace thinwire {

/// Decides which systems of a sequence, such as that of a frequency sweep, share a
/// preconditioner. The one that was made for an earlier system serves until the
/// iterations that it takes more than a new one would amount to half a solve, which is
/// what making it costs, about.
class PreconditionerReuse {
 public:
  /// Whether the preconditioner may serve the system of this parameter.
  bool serves(double parameter) const;

  /// Records that the preconditioner was made for the system of this parameter.
  void made(double parameter);

  /// Returns the number of iterations, at most that of the control, beyond which a new
  /// preconditioner is faster than an earlier system's.
  int max_iterations(const SolverControl& control) const;

  /// Records the solves of a system of this parameter.
  void solved(std::span<const SolveResult> results, double tolerance, double parameter);

  /// Records that the preconditioner did not serve the system of this parameter.
  void failed(double parameter);

  /// Returns the iterations of a solve from nothing with a new preconditioner; 0: not
  /// known.
  double whole_solve() const { return whole_; }

 private:
  double made_for_ = 0;
  /// Largest difference of parameters, relative.
  double reach_ = 0.05;
  double per_decade_ = 0;  ///< iterations with a new one; 0: not known
  double whole_ = 0;       ///< of a solve from nothing
  double excess_ = 0;      ///< since it was made, beyond those of a new one
};

}  // namespace thinwire
