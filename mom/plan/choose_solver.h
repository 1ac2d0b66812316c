#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mom/discretization/discretization.h"
#include "mom/plan/cost_model.h"
#include "mom/plan/rank_shares.h"
#include "mom/preconditioners/schwarz.h"
#include "mom/problem/options.h"

namespace thinwire {

/// Which solver will run, and why.
struct SolverPlan : Method {
  OperatorChoice operator_choice = OperatorChoice::dense;  ///< never automatic
  std::string why;                                         ///< empty when the user chose
  double seconds = 0;     ///< predicted, factorisation and all right-hand sides
  std::size_t bytes = 0;  ///< beyond the matrix in tiles
  double iterations = 0;  ///< expected, or steps of refinement
  std::size_t block_count = 0, block_bytes = 0;  ///< overlapping ones, as stored
  std::size_t block_inverses = 0;                ///< those that are different
  std::size_t coarse_functions = 0;  ///< beside these, at the shortest wave; 0: none
  std::size_t ranks = 1;             ///< that share the matrix

  SchwarzLevels levels() const { return {boxes, coarse}; }
};

/// The coarse matrix of two levels is dense: on the CPU more modes than this cost more
/// than they save where Z is never made.
inline constexpr std::size_t max_coarse = 4000;

/// Returns the quantities that the cost depends on, at wave numbers of at most k.
/// Overlapping blocks are examined where they are asked for or `auto` may choose them;
/// over ground fewer of them are equal.
ProblemSize size_of(const Discretization& where, const Options& options,
                    double k_rad_per_m, bool over_ground = false);

/// Cost of a solver on the machine in question: seconds, and bytes beyond the matrix.
struct SolverCost {
  PredictedCost time;
  std::size_t bytes = 0;
};

/// Right-hand sides of `right_hand_sides` that the solver takes in step.
std::size_t rhs_in_step(SolverChoice solver, const Options& options,
                        std::size_t right_hand_sides);

/// Bytes of an iterative solver's vectors for so many right-hand sides. GMRES keeps one
/// for every step: as many as its expected iterations and half as many again, within
/// Options::max_iterations.
/// With overlapping blocks it is flexible and keeps two.
std::size_t vector_bytes(const ProblemSize& size, Method method, const Options& options,
                         double iterations, std::size_t right_hand_sides);

/// Returns the limit of the matrices of near pairs at the nodes of a sweep on the CPU,
/// given the free memory and what matrix and solver take of it. Beyond the limit every
/// frequency is integrated by itself, and results differ by 1e-9.
std::size_t max_near_pair_bytes(std::size_t free_bytes, std::size_t taken_bytes);

/// Threads that solve so many frequencies side by side
/// (mom/schedule/frequency_queue.cpp), two for each of them at least; one where they do
/// not.
std::size_t threads_side_by_side(int threads, std::size_t frequencies);
/// Bytes of each of these: its matrix and those ahead in tiles, and what is prepared.
std::size_t bytes_side_by_side(std::size_t unknowns, const SolverPlan& plan);

/// The iterative solver that `auto` weighs against direct: COCG for separate antennas,
/// GMRES where overlapping blocks are the choice.
SolverChoice iterative_solver(const ProblemSize& size, const Options& options);

/// Returns the solver that the user asks for, or, for `auto`, the faster of direct and
/// iterative_solver. Overlapping blocks are those that are predicted fastest among those
/// for which the solver takes at most max_bytes, or those that take least. Throws
/// Error{usage} where they are asked for with a solver that cannot have them.
SolverPlan choose_solver(const ProblemSize& size, const Options& options,
                         std::size_t max_bytes,
                         const std::function<SolverCost(Method)>& cost);

/// Chooses on CPUs with `threads` threads each, for the rank that has this part.
SolverPlan choose_solver(const ProblemSize& size, const Options& options,
                         std::size_t right_hand_sides, int threads, const RankPart& part);

}  // namespace thinwire
