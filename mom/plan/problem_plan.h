#pragma once

#include <array>
#include <optional>
#include <string>

#include "cg/precondition/box_size.h"
#include "mom/operators/fft_plan.h"
#include "mom/plan/buried_wires.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Resources that a Problem will need, predicted without filling anything: `thinwire
/// solve --dry-run` and `check`.
struct Plan {
  std::size_t segments = 0;
  std::size_t mesh_elements = 0;
  std::size_t unknowns = 0;
  BuriedWires buried;            ///< of the run with the most elements below
  std::size_t matrix_bytes = 0;  ///< Z as stored
  std::size_t saved_bytes = 0;   ///< Z in the file, with Options::save_matrix
  std::size_t total_bytes = 0;   ///< with all other arrays, where it is solved
  std::size_t host_bytes = 0, device_bytes = 0;  ///< the latter on each GPU at most
  bool gpu_too_small = false;                    ///< for `auto`, which took the CPU
  std::size_t gpus = 0;
  int ranks = 1;  ///< that share the matrix; bytes are those of one of them
  /// The line that solve() would throw where memory is short: need, free, unknowns, ways
  /// out. Empty where it fits.
  std::string shortage;
  std::string device;
  std::string solver, preconditioner, why;
  std::string operator_name;  ///< "dense", "toeplitz", "fft"
  /// Antennas and places of the lattice, if there is one.
  std::size_t lattice_antennas = 0;
  std::array<std::size_t, 3> lattice_places = {0, 0, 0};
  /// Blocks of Z that are computed: one of each pair of displacements, and none.
  std::size_t lattice_displacements() const {
    return ((2 * lattice_places[0] - 1) * (2 * lattice_places[1] - 1) *
                (2 * lattice_places[2] - 1) +
            1) /
           2;
  }
  std::optional<FftPlan> grid;      ///< of the fft operator, at the shortest wave
  double predicted_iterations = 0;  ///< of an iterative solver, for each right-hand side
  std::size_t blocks = 0;           ///< overlapping ones; 0: another preconditioner
  std::size_t block_inverses = 0;   ///< those that are different
  std::size_t block_bytes = 0;      ///< of their inverses
  BoxSize boxes = {};               ///< their size
  bool boxes_asked = false;         ///< by Options::boxes
  /// Coarse functions beside the blocks, at the shortest wave; 0: no coarse level.
  std::size_t coarse_functions = 0;
  /// Table of GN 2 at the highest frequency, made for each one, below the surface and
  /// across it too where wires are; 0: no such ground.
  std::size_t ground_table_bytes = 0;
  double ground_table_seconds = 0;
  double predicted_seconds = 0;  ///< with preparation, all frequencies, derivatives
};

/// Throws what solve() throws before it allocates, except for a shortage of memory, which
/// Plan::shortage states. ranks: as if so many shared the work, each on a host like this
/// one; 0: those of Options::ranks, whom nobody asks.
Plan plan(const Problem& problem, const Options& options, int ranks = 0);

}  // namespace thinwire
