#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mom/excitation/port_solution.h"
#include "mom/excitation/wave_rings.h"
#include "mom/schedule/wave_records.h"
#include "mom/systems/wave_solver.h"

namespace thinwire {

/// Computes the records of incident waves with all ports shorted.
///
/// Records are sums of those of the basis that WaveSolver solves for. Where the waves of
/// a cone theta = const are many, only some of them are computed so, and the others are
/// interpolated (WaveRings).
class ReceivedWaves {
 public:
  /// One wave's record, which on_record may change, and its relative residual (an upper
  /// bound of it; negative: not known).
  struct Received {
    std::size_t wave;  ///< index into the grid
    std::span<Complex> record;
    double residual;
  };
  /// Receives each wave once, in any order, from several threads at once. An exception
  /// ends compute(), which throws it.
  using OnRecord = std::function<void(const Received& received)>;

  /// solve_s: seconds of right-hand sides, solving and expansions are added there. All
  /// references must outlive this.
  ReceivedWaves(const IncidentWaves& waves, const IncidentField& field,
                const Discretization& discretization, double k_rad_per_m,
                const WaveRecords& records, CurrentSolver& solver, const Options& options,
                double& solve_s);

  /// Computes all of them. Throws as CurrentSolver::solve() and WaveRecords::compute().
  /// All ranks must make this call.
  void compute(const OnRecord& on_record, const Monitor& monitor);

 private:
  using Components = IncidentField::Components;

  void compute_each(std::span<const std::size_t> waves, const OnRecord& on_record,
                    const Monitor& monitor);
  void compute_rings(std::span<const std::size_t> rings, const OnRecord& on_record,
                     const Monitor& monitor);
  void form_basis();
  const WaveCurrents& solve(std::span<const Components> waves, const Monitor& monitor);
  void sum_records(const WaveCurrents& currents, const Monitor& monitor);

  const IncidentWaves& waves_;
  const WaveRecords& records_;
  CurrentSolver& currents_;
  const Options& options_;
  double& solve_s_;
  std::size_t at_once_;
  WaveRings rings_;
  Options sample_options_;  ///< with a tolerance that leaves room for interpolation
  WaveSolver solver_;
  std::vector<std::size_t> left_;  ///< waves that interpolation does not represent
  std::vector<Complex> of_basis_;  ///< records, [rank][size]
  std::vector<Complex> sums_;      ///< records of the waves solved for, [waves][size]
  int restarts_ = 0;               ///< of the span, when of_basis_ was made
};

}  // namespace thinwire
