#pragma once

#include <array>
#include <cstddef>

#include "mom/plan/cost_model.h"

namespace thinwire {

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
