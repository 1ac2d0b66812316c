#pragma once

#include <complex>
#include <functional>
#include <span>
#include <vector>

#include "cg/comm.h"
#include "cg/linear_operator.h"
#include "cg/preconditioner.h"
#include "kernels/base/monitor.h"

namespace thinwire {

enum class Recurrence {
  /// Conjugate gradients on the normal equations (Katsuda et al. 2012). With a
  /// preconditioner: on those of (Z M) y = V, I = M y (from the right, so that the
  /// residual minimised is that of the original system). Two products an iteration.
  cg,
  /// Conjugate orthogonal conjugate gradients (van der Vorst and Melissen 1990). One
  /// product an iteration; the residual is not monotonic.
  cocg,
  /// Conjugate orthogonal conjugate residuals (Sogabe and Zhang 2007). One product an
  /// iteration, a vector or two more than COCG, and a smoother residual.
  cocr,
  /// Generalised minimal residuals, no restart, preconditioned from the right (Saad and
  /// Schultz 1986). One product an iteration; memory grows by one vector each, up to
  /// min(max_iterations, n) + 1. The residual never rises.
  gmres
};

/// `breakdown`: the recurrence cannot go on (a zero denominator, a number that is not
/// finite), or it stagnates: over the last max(200, min(n, 2000)) iterations the best
/// residual fell by less than a tenth, or a restart did not halve the true residual.
enum class SolveStatus { converged, max_iterations, breakdown };

/// When to stop and whom to tell.
struct SolverControl {
  double tolerance = 1e-6;  ///< on ||V - Z I|| / ||V||
  int max_iterations = 0;   ///< 0: 10 n + 100
  /// Called for each right-hand side, after each iteration.
  std::function<void(int iteration, double relative_residual)> on_iteration;
  Monitor monitor;             ///< asked at each iteration whether to stop
  const Comm* comm = nullptr;  ///< sums dot products over ranks; null: one rank
  /// GMRES only: keeps the preconditioned vectors, twice the memory, and forms the
  /// solution of them (Saad 1993), for a preconditioner that is linear only up to its own
  /// rounding, as one in single precision is.
  bool flexible = false;
  /// GMRES only: starts anew from its iterate after so many iterations, which is slower
  /// but takes memory for these alone. 0: never on the CPU; on a GPU after as many as its
  /// memory holds.
  int restart = 0;
};

struct SolveResult {
  SolveStatus status = SolveStatus::converged;
  int iterations = 0;
  double relative_residual = 0;          ///< true residual, recomputed at the end
  std::vector<double> residual_history;  ///< relative, entry 0 before the first iteration
  /// SolverControl::restart, or what the GPU's memory made of it, where it was reached;
  /// 0: one run.
  int restarted_after = 0;
};

/// Solves Z I = V, starting from what `current` holds. v, current: [z.size()], this
/// rank's part of the unknowns where there are several. `m` may be null: no
/// preconditioner.
///
/// Residuals are those of V - Z I, whatever the preconditioner. `converged` is said only
/// of the true residual, computed anew from I: where the recurrence has drifted from it,
/// the solver restarts from the current iterate (at most 5 times). V = 0 gives I = 0.
/// `current` always holds the last sound iterate. All sums have a fixed order: results
/// are the same bits for any number of threads if z.apply is.
/// Throws what control.monitor does when a stop was asked for, Error{numeric} when sizes
/// differ, Error{usage} when m is not symmetric and the recurrence is not GMRES,
/// Error{memory} when vectors do not fit.
SolveResult solve(Recurrence recurrence, const LinearOperator& z, const Preconditioner* m,
                  std::span<const Complex> v, std::span<Complex> current,
                  const SolverControl& control);

/// Solves for several right-hand sides: v, current: [rhs_count][z.size()]. Up to four
/// iterate in step and share each product (LinearOperator::apply_many); each has its own
/// scalars, restarts, end and result, equal to those of solving it alone up to rounding.
std::vector<SolveResult> solve_rhs(Recurrence recurrence, const LinearOperator& z,
                                   const Preconditioner* m, std::span<const Complex> v,
                                   std::span<Complex> current,
                                   const SolverControl& control);

}  // namespace thinwire
