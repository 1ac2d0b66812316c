#pragma once

#include <span>
#include <vector>

#include "cg/rhs_span.h"
#include "mom/excitation/incident_field.h"
#include "mom/problem/options.h"
#include "mom/systems/current_solver.h"

namespace thinwire {

/// Currents that incident waves excite with all ports shorted.
struct WaveCurrents {
  RhsSums sums;              ///< in terms of WaveSolver::span(); may be empty
  std::vector<char> is_sum;  ///< whether the currents of a wave follow from `sums`
  /// Coefficients of the waves that were solved for individually, ampere; empty for sums.
  std::vector<std::vector<Complex>> alone_a;
  /// Relative residual of each wave, or an upper bound of it; may be empty.
  std::vector<double> residuals;
};

/// Solves for incident waves.
///
/// With min_waves_for_span or more waves, only a basis of the space that their right-hand
/// sides span is solved for (RhsSpan), to a tolerance that allows for the errors of the
/// linear combinations. A wave whose residual bound then exceeds Options::tolerance is
/// solved for individually.
class WaveSolver {
 public:
  /// waves: total number of waves. max_rank: limit on the number of basis vectors; it
  /// must exceed the number of waves in each call of solve(). All references must outlive
  /// this.
  WaveSolver(const IncidentField& field, CurrentSolver& solver, const Options& options,
             std::size_t unknowns, std::size_t waves, std::size_t max_rank);

  /// Forms the basis, or extends it by what it lacks for these waves. The first waves
  /// should be as diverse as all of them. Throws what the solver throws, and so does
  /// solve(). All ranks must make this call, and that of solve().
  void form_basis(std::span<const IncidentField::Components> waves);

  /// Solves for some of the waves. The result is valid until the next call.
  const WaveCurrents& solve(std::span<const IncidentField::Components> waves);

  const RhsSpan& span() const { return span_; }
  /// Returns right-hand sides of the last call, [count][unknowns].
  std::span<const Complex> rhs(std::size_t first, std::size_t count) const {
    return std::span(rhs_).subspan(first * unknowns_, count * unknowns_);
  }

 private:
  void expand();
  void extend();
  void solve_alone(std::span<const std::size_t> waves);
  void broadcast(std::span<double> values) const;

  const IncidentField& field_;
  CurrentSolver& solver_;
  const Options& options_;
  std::size_t unknowns_, max_rank_;
  bool spans_;
  RhsSpan span_;
  std::vector<Complex> rhs_;  ///< of the waves of this call, [waves][unknowns]
  WaveCurrents currents_;
};

}  // namespace thinwire
