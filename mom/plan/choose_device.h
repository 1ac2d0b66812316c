#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kernels/element/medium.h"
#include "kernels/fill/wavenumber_nodes.h"
#include "mom/operators/fft_plan.h"
#include "mom/plan/field_cost.h"
#include "mom/plan/ground_cost.h"
#include "mom/plan/rank_shares.h"
#include "mom/plan/solver_choice.h"
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
  /// Smallest wave number of the runs whose loops the CPU's direct solver preserves
  /// (loop_system.h), and the medium around them; infinite if there are none.
  double loop_k_rad_per_m = std::numeric_limits<double>::infinity();
  Medium loop_medium;
  bool ground = false;        ///< under one run or more
  bool real_ground = false;   ///< likewise; then Z is dense
  bool host_fill = false;     ///< over GN 0, or with wires in the ground
  bool coefficients = false;  ///< over GN 0
  /// GN 2's of the highest frequency over it, where its table is largest; k 0: none.
  Ground table_ground = Ground::none;
  double table_k_rad_per_m = 0;
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

/// Where a problem will be solved, and with what.
struct DeviceChoice {
  bool gpu = false;
  int index = 0;                    ///< N of cuda:N
  std::vector<int> gpus;            ///< that share matrix or fields, index the first
  std::vector<double> gpu_weights;  ///< of their shares of the matrix
  std::string name = "cpu";         ///< "cuda:0 NVIDIA H200", "cuda:0,1 NVIDIA H200"
  SolverPlan plan;
  double fill_seconds = 0;       ///< predicted, once
  GroundCost ground;             ///< of one table, likewise; not in fill_seconds
  BuriedCost buried;             ///< at each frequency; neither in those
  double mesh_seconds = 0;       ///< once for all frequencies
  double start_seconds = 0;      ///< of a GPU, once for all frequencies
  double field_seconds = 0;      ///< patterns and near fields of all frequencies
  std::size_t matrix_bytes = 0;  ///< Z as stored
  std::size_t total_bytes = 0;   ///< with all other arrays, where it is solved
  std::size_t host_bytes = 0, device_bytes = 0;  ///< the latter on each GPU at most
  /// Grid of plan.operator_choice fft, at the shortest wave.
  std::optional<FftPlan> grid;
  /// Need, what is free, n and ways out, where memory is too short; empty where not.
  std::string shortage;
  bool gpu_too_small = false;  ///< for `auto`, which took the CPU
};

/// Seconds for all the work, fields included.
double predicted_seconds(const DeviceChoice& choice, const Workload& work);

/// Decides by Options::device and, for `auto`, by the predicted time among what fits into
/// memory; makes the GPU that it takes the current one. plan.why then says why. For small
/// problems `auto` does not even look for a GPU: starting one takes longer. Where `auto`
/// chooses the solver, one that fits goes before a faster one that does not.
///
/// Allocates nothing, except that several GPUs are measured once (rates_of). Throws
/// Error{device}: no CUDA module, no driver, no such GPU, no code for it, or a precision
/// that only a GPU has on the CPU.
DeviceChoice choose_device(const Discretization& where, const Options& options,
                           const Workload& work, int threads);

/// Puts a reason before those that the plan has; empty: none.
void add_reason(SolverPlan& plan, const std::string& reason);

/// How to solve another mesh of the same problem where that choice solves.
SolverPlan plan_there(const DeviceChoice& choice, const Discretization& where,
                      const Options& options, const Workload& work, int threads);

}  // namespace thinwire
