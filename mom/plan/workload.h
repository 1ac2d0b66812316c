#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "kernels/element/medium.h"
#include "kernels/fill/wavenumber_nodes.h"
#include "mom/plan/field_cost.h"
#include "mom/plan/rank_shares.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// How much there is to do besides the matrix.
struct Workload {
  std::size_t right_hand_sides = 1;  ///< at each frequency: ports, or a basis of waves
  std::size_t ports = 1;             ///< of these, solved for together
  std::size_t waves = 0;             ///< incident waves of a run
  /// Complex numbers of currents and fields of each wave, coefficients not counted.
  std::size_t wave_record = 0;
  bool wave_coefficients = false;  ///< whether they are recorded
  std::size_t frequencies = 0;     ///< to be solved, of all runs
  std::size_t result_bytes = 0;    ///< patterns, near fields and waves of all of them
  FieldPlaces fields;              ///< of the patterns and near fields of all of them
  GroundPoints ground_points;      ///< of their near fields over GN 2
  double largest_k_rad_per_m = 0;  ///< of all frequencies
  /// Smallest wave number of the runs whose loops the CPU's dense matrix preserves
  /// (loop_system.h), and the medium around them; infinite if there are none.
  double loop_k_rad_per_m = std::numeric_limits<double>::infinity();
  Medium loop_medium;
  bool ground = false;         ///< under one run or more
  bool real_ground = false;    ///< likewise
  bool uneven_ground = false;  ///< likewise: one that needs the whole matrix
  bool host_fill = false;      ///< over GN 0, or with wires in the ground
  bool coefficients = false;   ///< over GN 0
  /// GN 2's of the highest frequency over it, where its table is largest; k 0: none.
  Ground table_ground = Ground::none;
  double table_k_rad_per_m = 0;
  /// The ground of the shortest wave.
  Ground ground_of_largest_k = Ground::none;
  /// A run whose matrix is filled: the CPU may interpolate it
  /// (kernels/fill/matrix_sweep.h).
  struct Sweep {
    WavenumberRange range;
    Medium medium;
    bool over_real_ground = false;  ///< GN 2, which is interpolated too
    bool host_fill = false;         ///< as below: then nothing is interpolated
  };
  std::vector<Sweep> sweeps;
  /// Ranks that share the work; one rank until they are asked (shares_of_ranks).
  RankShares ranks = equal_shares(1);
  bool stored = false;   ///< whether the matrix is read from a file, as a whole
  bool written = false;  ///< whether it is written to one (WG)
};
Workload workload(const Problem& problem, const Options& options);

/// Returns the wave numbers of a run's frequencies, and how many of them are solved.
WavenumberRange solved_wavenumbers(const Run& run, const Options& options);

}  // namespace thinwire
