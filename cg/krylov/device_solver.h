#pragma once

#include "cg/device_operator.h"
#include "cg/device_preconditioner.h"
#include "cg/krylov/solver.h"

namespace thinwire {

/// Where the parts of an iteration run when the matrix is on a GPU.
enum class Placement {
  /// The product on the GPU, the vectors on the CPU; they travel at each product (Case 1
  /// of Katsuda et al. 2012).
  product,
  /// All vectors and scalars on the GPU; after each iteration the CPU reads the residual
  /// and says whether to go on (Case 2 of Katsuda et al. 2012).
  resident,
  /// Whole iterations in a CUDA graph with a WHILE node: the GPU tests for convergence
  /// itself, and the CPU only looks on.
  graph
};

/// solve() and solve_rhs() of solver.h on a GPU: the same steps, the same tests for the
/// end and the same residual history up to rounding, the same bits on each run. `m` may
/// be null. Throw what solver.h says, and Error{device} of CUDA's failures. With vectors
/// on the GPU control.comm must be null or of one rank.
SolveResult solve(Recurrence recurrence, const DeviceOperator& z,
                  const DevicePreconditioner* m, std::span<const Complex> v,
                  std::span<Complex> current, const SolverControl& control,
                  Placement placement);
std::vector<SolveResult> solve_rhs(Recurrence recurrence, const DeviceOperator& z,
                                   const DevicePreconditioner* m,
                                   std::span<const Complex> v, std::span<Complex> current,
                                   const SolverControl& control, Placement placement);

}  // namespace thinwire
