#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mom/operators/fft_plan.h"
#include "mom/plan/choose_solver.h"
#include "mom/plan/field_cost.h"
#include "mom/plan/frequency_checks.h"

namespace thinwire {

/// Where and how a problem is solved, and the resources that it needs, predicted without
/// filling anything. The solve follows it, and `solve --dry-run` prints it.
struct Plan {
  std::size_t segments = 0, mesh_elements = 0, unknowns = 0;
  BuriedWires buried;  ///< of the run with the most elements below
  /// Antennas and places of the lattice, if there is one.
  std::size_t lattice_antennas = 0;
  std::array<std::size_t, 3> lattice_places = {0, 0, 0};

  bool gpu = false;
  int index = 0;                    ///< N of cuda:N
  std::vector<int> gpus;            ///< that share matrix or fields, index the first
  std::vector<double> gpu_weights;  ///< of their shares of the matrix
  std::string device = "cpu";       ///< "cuda:0 NVIDIA H200", "cuda:0,1 NVIDIA H200"
  bool gpu_too_small = false;       ///< for `auto`, which took the CPU

  SolverPlan solver;
  bool boxes_asked = false;     ///< by Options::boxes
  std::optional<FftPlan> grid;  ///< of the fft operator, at the shortest wave

  std::size_t matrix_bytes = 0;  ///< Z as stored
  std::size_t saved_bytes = 0;   ///< Z in the file, with Options::save_matrix
  std::size_t total_bytes = 0;   ///< with all other arrays, where it is solved
  std::size_t host_bytes = 0, device_bytes = 0;  ///< the latter on each GPU at most
  /// The line that solve() throws where memory is short: need, free, unknowns, ways out.
  /// Empty where it fits.
  std::string shortage;

  double fill_seconds = 0;  ///< predicted, once
  /// Tables of GN 2 at the highest frequency, made for each one, and of wires below it;
  /// not in fill_seconds. Zero without such a ground.
  GroundCost ground;
  BuriedCost below;
  double mesh_seconds = 0;       ///< once for all frequencies
  double proximity_seconds = 0;  ///< likewise, the stations of close wires
  double start_seconds = 0;      ///< of a GPU, once for all frequencies
  double field_seconds = 0;      ///< patterns and near fields of all frequencies
  double predicted_seconds = 0;  ///< with preparation, all frequencies, derivatives

  /// Iterations of an iterative solver for each right-hand side; 0: the direct one.
  double predicted_iterations() const {
    return solver.solver == SolverChoice::direct ? 0 : solver.iterations;
  }
  std::size_t ground_table_bytes() const {
    return ground.table_bytes + below.table_bytes;
  }
  double ground_table_seconds() const { return ground.table_s + below.table_s; }
  /// Blocks of Z that a lattice computes: one of each pair of displacements, and none.
  std::size_t lattice_displacements() const {
    std::size_t all = 1;
    for (const std::size_t places : lattice_places) all *= 2 * places - 1;
    return (all + 1) / 2;
  }
};

}  // namespace thinwire
