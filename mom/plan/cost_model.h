#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "cg/direct/ldlt_layout.h"
#include "cg/precondition/overlap.h"
#include "mom/problem/options.h"

namespace thinwire {

/// A term of a near field, or between lumped currents, in those of the far field: NE and
/// NH at 16,384 points of 201 segments took 0.18 and 0.15 s on one thread, where the far
/// field does 1.5e8 a second.
inline constexpr double cpu_near_in_far = 7.5;
/// Share of the rate of LAPACK's products that many right-hand sides reach on the CPU.
inline constexpr double cpu_many_rhs_share = 0.5;

/// Quantities that the cost of a solve depends on.
struct ProblemSize {
  std::size_t unknowns = 0;
  std::size_t blocks = 1;         ///< sets of unknowns of the block preconditioner
  std::size_t largest_block = 0;  ///< unknowns
  std::size_t block_entries = 0;  ///< of all blocks' matrices
  /// Whether every block is an antenna of its own, not a piece cut from a larger one.
  bool whole_antennas = false;
  /// Closed loops of the antenna that has most, each as one cell of a grid.
  std::size_t loops = 0;

  /// Overlapping blocks of several sizes; empty where they are no choice.
  struct Overlap {
    BoxSize boxes;
    OverlapExtent extent;
  };
  std::vector<Overlap> overlaps;
  /// Functions of the coarse level beside these (mom/preconditioners/coarse_space.h); 0
  /// where there is none to choose.
  std::size_t coarse_functions = 0;
  /// The box around the structure: its longest edge in cells (cell_length_m), its
  /// shortest in wavelengths, 0 where the structure encloses nothing
  /// (FunctionPlaces::encloses); and a cell in wavelengths.
  double cells_across = 0, thickness = 0, cell = 0;
  /// Cubic wavelengths of that box, where the structure encloses something.
  double volume = std::numeric_limits<double>::infinity();
  /// Height of its lowest point above a ground, wavelengths; infinite where there is
  /// none.
  double height = std::numeric_limits<double>::infinity();
  /// Elements along the side of a mesh of a grid, 1 where there is none; and that side
  /// over the wires' mean circumference.
  double elements_a_side = 1, thinness = 1;

  /// Returns the extent for boxes of this size, which must have been computed.
  const OverlapExtent& overlap(BoxSize boxes) const;

  /// Unknowns of the two-level preconditioner's coarse matrix.
  std::size_t coarse() const;
};

/// How to solve: neither is automatic.
struct Method {
  SolverChoice solver = SolverChoice::direct;
  PreconditionerChoice preconditioner = PreconditionerChoice::none;
  /// Precision with which the direct solver's factors on a GPU begin.
  LdltProducts products = LdltProducts::tf32;
  /// Boxes of overlapping blocks.
  BoxSize boxes = {};
  /// Whether there is a coarse level beside these.
  bool coarse = false;
};

/// Seconds by the wall clock, of one frequency.
struct PredictedCost {
  double iterations = 0;  ///< or steps of refinement, for each right-hand side
  double fill_s = 0;
  double factor_s = 0;  ///< the factors, or the preconditioner
  double solve_s = 0;   ///< all right-hand sides
  double all_s() const { return fill_s + factor_s + solve_s; }
};

/// Predictions before anything is allocated, from rates measured on two CPUs and one GPU
/// (docs/measurements/performance.md; tests/mom/plan/cost_model_test.cpp holds these
/// functions against its tables). On arrays of dipoles they are right within a factor
/// of 1.5; how many iterations other structures take is less certain.

/// Predicts the cost on the CPU. Reads the tolerance, the mesh and the CPU's rates of
/// `options`.
PredictedCost cost_on_cpu(const ProblemSize& size, Method method, const Options& options,
                          double right_hand_sides, int threads);

/// Predicts the cost on a GPU. Reads the tolerance, the placement and the precision of
/// `options`. share: the GPU's multiprocessors over those of the GPU that was measured;
/// rates are assumed to be proportional to it (GpuRates).
PredictedCost cost_on_gpu(const ProblemSize& size, Method method, const Options& options,
                          double right_hand_sides, double share);

/// Predicts the part of overlapping blocks in factor_s and solve_s of one right-hand
/// side, beside an operator's products, iterations included: GMRES on a GPU, entries
/// computed for the purpose.
PredictedCost overlap_cost_on_gpu(const ProblemSize& size, Method method,
                                  const Options& options, double share);

/// Predicts the cost of COCG with the two-level preconditioner of separate antennas
/// (DeviceModePreconditioner).
PredictedCost two_level_cost_on_gpu(const ProblemSize& size, const Options& options,
                                    double share);

/// Only the fill_s of these.
double fill_seconds_on_cpu(std::size_t unknowns, const Options& options, int threads);
double fill_seconds_on_gpu(std::size_t unknowns, double share);
/// Matrix and factors of one system among many in a batch.
double batched_seconds_on_gpu(std::size_t unknowns);
/// Seconds of near pairs that do not lie alike, beyond those in fill_seconds_on_cpu.
/// evaluations: NearPairCost::evaluations.
double unlike_pair_seconds_on_cpu(std::size_t unknowns, double evaluations,
                                  const Options& options, int threads);
/// LAPACK's factors, without the estimate of the condition number.
double factor_seconds_on_cpu(std::size_t unknowns, const CpuRates& rates, int threads);
/// Predicts what a coarse level adds to overlapping blocks on the CPU where so many
/// entries of Z are read each second: making it, and one application beside its product
/// with Z.
struct CoarseCost {
  double make_s, apply_s;
  std::size_t bytes;  ///< its factors and what they are made from
};
CoarseCost coarse_cost_on_cpu(const ProblemSize& size, const CpuRates& rates,
                              double entries_per_s, int threads);
/// Predicts that on a GPU, entries computed for the purpose.
CoarseCost coarse_cost_on_gpu(const ProblemSize& size, double share);

/// Rates of LDL^T on one GPU: the inversion of a panel's block, and the products.
struct LdltRates {
  double panel_s, flops_per_s;
};
LdltRates ldlt_rates_on_gpu(LdltProducts products, double share);
/// One product with one right-hand side.
double product_seconds_on_gpu(std::size_t unknowns, bool in_double_precision,
                              double share);

/// The mesh, once for all frequencies, on the CPU.
double mesh_seconds(std::size_t unknowns);
/// Reading, checks and the plan itself; or what of a system in a batch is beside its
/// matrix. On so many threads.
double preparation_seconds(std::size_t elements, const CpuRates& rates, int threads);
/// On the CPU beside a grid's fill on a GPU: order, points and tiles of its elements.
double grid_host_seconds(std::size_t elements);
/// Predicts the seconds of Proximity::prepare() from its number of multiplications.
double proximity_seconds(double multiplications, const CpuRates& rates, int threads);
/// Entries of the matrix that one thread of the CPU reads here and there.
double entries_read_per_s(const CpuRates& rates);

/// Equal antennas on a lattice.
struct ToeplitzSize {
  std::size_t functions = 0;  ///< of an antenna
  std::size_t antennas = 0;
  std::array<std::size_t, 3> places = {1, 1, 1};
};

/// Predicts the cost of one frequency on the CPU by ToeplitzOperator, from dipoles
/// measured on two cores of an Intel Xeon (docs/theory/operators.md).
PredictedCost toeplitz_cost(const ToeplitzSize& size, Method method,
                            const Options& options, double right_hand_sides, int threads);

/// Predicts the cost by DeviceToeplitzOperator, from one H200; share as in cost_on_gpu.
/// threads: of the CPU, which inverts the block and checks the solution against rows of
/// Z.
PredictedCost toeplitz_cost_on_gpu(const ToeplitzSize& size, Method method,
                                   const Options& options, double right_hand_sides,
                                   int threads, double share);

/// Iterations to the tolerance: 20 to 30 with the modes, more with blocks alone the more
/// antennas there are.
double toeplitz_iterations(const ToeplitzSize& size, Method method, double tolerance);

/// Returns the bytes of operator and preconditioner on the CPU; antennas with the same
/// loads.
std::size_t toeplitz_bytes(const ToeplitzSize& size, Method method);
/// Returns the bytes of the operator's arrays alone.
std::size_t toeplitz_array_bytes(const ToeplitzSize& size);

}  // namespace thinwire
