#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "cg/krylov/cycle_end.h"
#include "cg/krylov/solver.h"
#include "kernels/base/error.h"

namespace thinwire {

/// Largest number of right-hand sides that iterate in step.
inline constexpr std::size_t max_rhs_count = 4;

/// Counts iterations, keeps the residual history and tests for the end; one for each
/// right-hand side. Shared by all solvers.
class Iteration {
 public:
  /// v_norm: ||V||, not zero. unknowns: over all ranks.
  Iteration(const SolverControl& control, double v_norm, std::size_t unknowns);

  /// To be called once an iteration with ||r|| / ||V|| and V^T I. Says whether and how to
  /// end. Throws what control.monitor does.
  std::optional<CycleEnd> record(double relative_residual, Complex reaction);
  /// Puts the true values, of ||r|| and V^T I, in place of the recurrence's; returns the
  /// relative residual.
  double correct(double true_residual_norm, Complex reaction);

  double tolerance() const { return control_.tolerance; }
  double v_norm() const { return v_norm_; }
  /// Whether the cycle ended for its length alone.
  bool cut() const { return cut_; }
  /// Returns the number of iterations that are left.
  int iterations_left() const { return max_iterations_ - result.iterations; }
  SolveResult result;

 private:
  bool stagnates() const;

  const SolverControl& control_;
  double v_norm_;
  int max_iterations_;
  std::size_t window_;
  int steps_ = 0;  // of the cycle
  bool cut_ = false;
  std::vector<double> best_;  // of the cycle; best_[i]: the smallest up to iteration i
};

/// One right-hand side on its way. A cycle is a recurrence from the iterate `current`
/// with its true residual.
struct SolveRhs {
  std::span<const Complex> v;
  std::span<Complex> current;
  Iteration iteration;
  Complex reaction = 0;  ///< V^T I where the cycle starts
  bool running = true;
  bool moved = true;                  ///< `current` is not what the last cycle left
  CycleEnd end = CycleEnd::finished;  ///< of the cycle before
  int restarts = 0, other_starts = 0;
  double before = std::numeric_limits<double>::infinity();  ///< residual, relative
};

/// Runs the recurrence for the right-hand sides that are `running` until each ends:
/// advances `current` and sets `end`.
using Cycle = std::function<void(std::span<SolveRhs> all_rhs)>;

/// Computes the true residuals V - Z I of the right-hand sides that are `running`, where
/// the next cycle reads them. norms: [rhs_count], of the residuals.
using TrueResiduals =
    std::function<void(std::span<SolveRhs> all_rhs, std::span<double> norms)>;

/// Runs cycles, and further ones for right-hand sides whose recurrence has converged but
/// not the true residual. v, current: [rhs_count][z.size()], at most max_rhs_count.
std::vector<SolveResult> run_cycles(const LinearOperator& z, std::span<const Complex> v,
                                    std::span<Complex> current,
                                    const SolverControl& control,
                                    const TrueResiduals& residuals, const Cycle& cycle);

/// Checks sizes and calls `solve` for at most max_rhs_count of the right-hand sides at a
/// time, with those parts of v and current. Error{numeric}; Error{memory} where `solve`
/// finds none.
using SolveSome = std::function<std::vector<SolveResult>(std::span<const Complex> v,
                                                         std::span<Complex> current)>;
std::vector<SolveResult> in_groups(const LinearOperator& z, const Preconditioner* m,
                                   std::size_t rhs_count, std::span<const Complex> v,
                                   std::span<Complex> current, const SolveSome& solve);

/// Error{usage} for a method that has no recurrence.
Error no_iterative_solver(Recurrence recurrence);

/// Error{usage} where the recurrence needs a symmetric preconditioner and m is none; m
/// may be null.
void check_symmetry(Recurrence recurrence, const Preconditioner* m);

/// Returns the number of right-hand sides in v, [rhs_count][z.size()]; at least one.
inline std::size_t rhs_count_of(const LinearOperator& z, std::span<const Complex> v) {
  return z.size() > 0 && v.size() > z.size() ? v.size() / z.size() : 1;
}

/// Y = Z X for the right-hand sides for which wanted(rhs) is true, neighbours together.
/// x, y: [rhs_count][z.size()].
void apply_wanted(const LinearOperator& z, std::size_t rhs_count,
                  const std::function<bool(std::size_t)>& wanted,
                  std::span<const Complex> x, std::span<Complex> y);

}  // namespace thinwire
