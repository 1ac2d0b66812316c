#pragma once

#include "kernels/base/choice.h"

namespace thinwire {

/// Solvers of the linear system.
enum class SolverChoice {
  automatic,
  /// LDL^T factorisation.
  direct,
  /// Conjugate gradients on the normal equations (Katsuda et al. 2012). With a
  /// preconditioner they are those of (Z M) y = V, I = M y, so that the residual that is
  /// minimised is that of the original system. Two products per iteration.
  cg,
  /// Conjugate orthogonal conjugate gradients (van der Vorst and Melissen 1990). One
  /// product per iteration; the residual is not monotonic.
  cocg,
  /// Conjugate orthogonal conjugate residuals (Sogabe and Zhang 2007). One product per
  /// iteration, one or two more vectors than COCG, and a smoother residual.
  cocr,
  /// Generalised minimal residuals, preconditioned from the right (Saad and Schultz
  /// 1986).
  /// One product per iteration. Without SolverControl::restart the memory grows by one
  /// vector per iteration, up to min(max_iterations, n) + 1. The residual never rises.
  gmres
};
constexpr auto words_of(SolverChoice) {
  using enum SolverChoice;
  return std::to_array<Word<SolverChoice>>({{automatic, "auto"},
                                            {direct, "direct"},
                                            {cg, "cg"},
                                            {cocg, "cocg"},
                                            {cocr, "cocr"},
                                            {gmres, "gmres"}});
}

/// The iterative ones; where it is automatic or direct, cocg runs.
using Recurrence = SolverChoice;

}  // namespace thinwire
