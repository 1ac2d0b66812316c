#pragma once

#include <atomic>
#include <complex>
#include <functional>
#include <span>
#include <vector>

#include "cg/comm.h"
#include "cg/linear_operator.h"
#include "cg/preconditioner.h"

namespace thinwire {

enum class SolveStatus { converged, max_iterations, breakdown };

/// When to stop and whom to tell.
struct SolverControl {
  double tolerance = 1e-6;  ///< on ||V - Z I|| / ||V||
  int max_iterations = 0;   ///< 0: 10 n + 100
  std::function<void(int iteration, double relative_residual)> on_iteration;
  const std::atomic<bool>* stop = nullptr;  ///< set: throws Error{interrupted}
  const Comm* comm = nullptr;  ///< sums dot products over ranks; null: one rank
};

struct SolveResult {
  SolveStatus status = SolveStatus::converged;
  int iterations = 0;
  double relative_residual = 0;          ///< true residual, recomputed at the end
  std::vector<double> residual_history;  ///< relative, entry 0 before the first iteration
};

/// Each solves Z I = V, starting from what `current` holds. v, current: [z.size()].
/// `m` may be null: no preconditioner.

/// Conjugate gradients on the normal equations, step for step as in Katsuda et al. 2012.
SolveResult solve_cg(const LinearOperator& z, const Preconditioner* m,
                     std::span<const Complex> v, std::span<Complex> current,
                     const SolverControl& control);
/// Conjugate orthogonal conjugate gradients (van der Vorst and Melissen 1990).
SolveResult solve_cocg(const LinearOperator& z, const Preconditioner* m,
                       std::span<const Complex> v, std::span<Complex> current,
                       const SolverControl& control);
/// Conjugate orthogonal conjugate residuals (Sogabe and Zhang 2007).
SolveResult solve_cocr(const LinearOperator& z, const Preconditioner* m,
                       std::span<const Complex> v, std::span<Complex> current,
                       const SolverControl& control);
/// Generalised minimal residuals, no restart (Saad and Schultz 1986).
SolveResult solve_gmres(const LinearOperator& z, const Preconditioner* m,
                        std::span<const Complex> v, std::span<Complex> current,
                        const SolverControl& control);

}  // namespace thinwire
