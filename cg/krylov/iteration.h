#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "cg/krylov/solver.h"

namespace thinwire {

/// How a recurrence ended: `finished` claims convergence (or asks for a restart), and the
/// true residual decides. `vanished`: x^T y is zero though neither vector is; from
/// another start the recurrence may get through.
enum class CycleEnd { finished, max_iterations, breakdown, vanished };

/// What the solvers share: counting, residual history, tests for the end. One for each
/// solve.
class Iteration {
 public:
  /// v_norm: ||V||, not zero. unknowns: over all ranks.
  Iteration(const SolverControl& control, double v_norm, std::size_t unknowns);

  /// To be called once an iteration with ||r||. Says whether and how to end. Throws
  /// Error{interrupted}.
  std::optional<CycleEnd> record(double residual_norm);
  /// Puts the true residual in place of the recurrence's; returns it relative.
  double correct(double true_residual_norm);

  const Comm& comm() const { return comm_; }
  std::size_t unknowns() const { return unknowns_; }
  int max_iterations() const { return max_iterations_; }
  SolveResult result;

 private:
  void check_stop() const;
  bool stagnates() const;

  const SolverControl& control_;
  const Comm& comm_;
  double v_norm_;
  std::size_t unknowns_;
  int max_iterations_;
  std::size_t window_;
  std::vector<double> best_;  // of the cycle; best_[i]: the smallest up to iteration i
};

/// A recurrence from the iterate `current` with the true residual r, both updated, until
/// record() says that it ends or it breaks down.
using Cycle = std::function<CycleEnd(std::span<Complex> r, Iteration& iteration)>;

/// Runs the recurrence and restarts it for as long as it claims a convergence that the
/// true residual does not show.
SolveResult run_cycles(const LinearOperator& z, const Preconditioner* m,
                       std::span<const Complex> v, std::span<Complex> current,
                       const SolverControl& control, const Cycle& cycle);

/// z = M r, or a copy where there is no preconditioner.
void precondition(const Preconditioner* m, std::span<const Complex> r,
                  std::span<Complex> z);

/// |x^T y| / (|x| |y|) that counts as zero: half of the digits are lost in the sum, and a
/// recurrence that divides by it loses them too. Two dipoles of an array fed in
/// quadrature, with the block preconditioner, gave 1e-10, and residuals grew to
/// thousands. Vectors without such a symmetry stay above by far, at about 1 / sqrt(N).
inline constexpr double lanczos_zero = 1e-8;

/// Whether x^T y, which is not an inner product, is zero to rounding (or not finite)
/// though neither vector is: a Lanczos breakdown.
bool vanishes(Complex product, std::span<const Complex> x, std::span<const Complex> y,
              const Comm& comm);

}  // namespace thinwire
