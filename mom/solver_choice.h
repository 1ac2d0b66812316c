#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mom/discretisation.h"
#include "mom/options.h"

namespace thinwire {

/// Which solver will run, and why.
struct SolverPlan {
  SolverChoice solver = SolverChoice::direct;                        ///< never automatic
  PreconditionerChoice preconditioner = PreconditionerChoice::none;  ///< never automatic
  std::string why;        ///< empty when the user chose
  double seconds = 0;     ///< predicted, factorisation and all right-hand sides
  std::size_t bytes = 0;  ///< beyond the matrix in tiles
  double iterations = 0;  ///< expected of an iterative solver
};

/// Sets of unknowns for the block preconditioner: each connected antenna when it is
/// small, else its wires, cut where they are long.
std::vector<std::vector<std::uint32_t>> preconditioner_blocks(
    const Discretisation& where);

/// `auto` takes what is predicted fastest on this machine's CPU with `threads` threads.
SolverPlan choose_solver(const Discretisation& where, const Options& options,
                         std::size_t right_hand_sides, int threads);

/// Predicted seconds to fill the matrix once.
double predicted_fill_seconds(std::size_t unknowns, int threads);

const char* name_of(SolverChoice solver);
const char* name_of(PreconditionerChoice preconditioner);

}  // namespace thinwire
