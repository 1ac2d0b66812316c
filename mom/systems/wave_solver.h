#pragma once

#include <span>
#include <vector>

#include "cg/rhs_span.h"
#include "mom/excitation/incident_field.h"
#include "mom/problem/options.h"
#include "mom/systems/current_solver.h"

namespace thinwire {

/// Currents that incident waves excite where all ports are shorted.
struct WaveCurrents {
  std::vector<Complex> coefficients_a;  ///< [waves][unknowns]
  RhsSums sums;                         ///< of WaveSolver::span(); may be empty
  std::vector<char> is_sum;             ///< whether a wave's currents are that sum
  /// Relative residual of each wave, or an upper bound of it; may be empty.
  std::vector<double> residuals;

  std::vector<Complex> of(std::size_t wave, std::size_t unknowns) const {
    const auto first =
        coefficients_a.begin() + static_cast<std::ptrdiff_t>(wave * unknowns);
    return {first, first + static_cast<std::ptrdiff_t>(unknowns)};
  }
};

/// Solves for incident waves.
///
/// From min_waves_for_span waves on, only the basis of the space that they span is solved
/// for (RhsSpan), to a tolerance that leaves room for the sums. A wave whose residual is
/// not bounded by Options::tolerance then is solved for by itself.
class WaveSolver {
 public:
  /// waves: how many there will be. max_rank: basis vectors that are kept at most; more
  /// than solve() gets waves at a time. All references must outlive this.
  WaveSolver(const IncidentField& field, CurrentSolver& solver, const Options& options,
             std::size_t unknowns, std::size_t waves, std::size_t max_rank);

  /// Solves for some of the waves; the result holds until the next call. Waves that
  /// differ as much as all do should come first: they make the basis. Throws what the
  /// solver throws. All ranks make this call.
  const WaveCurrents& solve(std::span<const IncidentWave> waves);

  const RhsSpan& span() const { return span_; }

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
  std::vector<Complex> rhs_;  ///< of the waves in hand, [waves][unknowns]
  WaveCurrents currents_;
};

}  // namespace thinwire
