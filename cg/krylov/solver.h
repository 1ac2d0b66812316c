#pragma once

#include <complex>
#include <functional>
#include <span>
#include <vector>

#include "cg/comm.h"
#include "cg/krylov/solver_choice.h"
#include "cg/linear_operator.h"
#include "cg/preconditioner.h"
#include "kernels/base/monitor.h"

namespace thinwire {

/// Outcome of a solve. `breakdown` means that the recurrence cannot continue (zero
/// denominator, number that is not finite) or stagnates: the best residual fell by less
/// than a tenth over the last max(200, min(n, 2000)) iterations, or the true residual was
/// not halved between two restarts.
enum class SolveStatus { converged, max_iterations, breakdown };

/// Stopping criteria, callbacks and memory of a solve.
struct SolverControl {
  double tolerance = 1e-6;  ///< on ||V - Z I|| / ||V||
  int max_iterations = 0;   ///< 0: 10 n + 100
  /// Called for each right-hand side, after each iteration, with the reaction V^T I.
  std::function<void(int iteration, double relative_residual, Complex reaction)>
      on_iteration;
  Monitor monitor;             ///< checked at each iteration for a request to stop
  const Comm* comm = nullptr;  ///< sums dot products over ranks; null: one rank
  /// True for flexible GMRES (Saad 1993), which stores the preconditioned vectors, in
  /// twice the memory, and forms the solution from them. It suits preconditioners that
  /// are linear only up to their own rounding, such as those in single precision.
  bool flexible = false;
  /// GMRES only: number of iterations after which it restarts from its iterate. A smaller
  /// number takes less memory and more iterations. 0: no restart on the CPU; on a GPU,
  /// the number whose vectors fit in memory.
  int restart = 0;
};

/// Result for one right-hand side.
struct SolveResult {
  SolveStatus status = SolveStatus::converged;
  int iterations = 0;
  double relative_residual = 0;          ///< true residual, recomputed at the end
  std::vector<double> residual_history;  ///< relative, entry 0 before the first iteration
  /// V^T I at the same iterations, from a GPU in single precision: V times the current of
  /// the port that V feeds. Empty where it is not known.
  std::vector<Complex> reaction_history;
  /// Number of iterations between restarts of GMRES; 0: it did not restart.
  int restarted_after = 0;
};

/// Returns ||V - Z I|| / ||V|| of each right-hand side, [rhs_count][n]; ||Z I|| for V =
/// 0.
std::vector<double> relative_residuals(const LinearOperator& z,
                                       std::span<const Complex> v,
                                       std::span<const Complex> current);

/// Returns the result of a solution without iterations: `breakdown` where its residual
/// exceeds the tolerance or is not a number.
SolveResult direct_result(double relative_residual, double tolerance);

/// Solves Z I = V, starting from the contents of `current`.
///
/// v, current: [z.size()], with several ranks this rank's part of the unknowns. m: may be
/// null for no preconditioner.
///
/// Residuals are those of V - Z I, also with a preconditioner. `converged` refers to the
/// true residual, recomputed from I: if the recurrence has drifted from it, the solver
/// restarts from the current iterate (at most 5 times). V = 0 gives I = 0. `current`
/// always holds the last valid iterate. All sums have a fixed order, so that results are
/// the same bits for any number of threads if those of z.apply are.
///
/// Throws what control.monitor throws if a stop was requested, Error{numeric} if sizes
/// differ, Error{usage} if m is not symmetric and the recurrence is not GMRES, and
/// Error{memory} if the vectors do not fit.
SolveResult solve(Recurrence recurrence, const LinearOperator& z, const Preconditioner* m,
                  std::span<const Complex> v, std::span<Complex> current,
                  const SolverControl& control);

/// Solves for several right-hand sides. v, current: [rhs_count][z.size()]. Up to four
/// iterate in step and share each product (LinearOperator::apply_many). Each has its own
/// scalars, restarts, end and result, which equal those of a solve for it alone up to
/// rounding.
std::vector<SolveResult> solve_rhs(Recurrence recurrence, const LinearOperator& z,
                                   const Preconditioner* m, std::span<const Complex> v,
                                   std::span<Complex> current,
                                   const SolverControl& control);

}  // namespace thinwire
