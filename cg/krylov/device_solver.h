#pragma once

#include "cg/device_operator.h"
#include "cg/krylov/solver.h"
#include "cg/precondition/device_preconditioner.h"

namespace thinwire {

/// Where the parts of an iteration run when the matrix is on a GPU. The third placement,
/// `product`, is the solvers of solver.h around a DeviceOperator: vectors on the CPU.
enum class Placement {
  /// All vectors and scalars on the GPU; after each iteration the CPU reads the residual
  /// and says whether to go on (Case 2 of Katsuda et al. 2012).
  resident,
  /// Whole iterations in a CUDA graph with a WHILE node: the GPU tests for convergence
  /// itself, and the CPU only looks on.
  graph
};

/// The solvers of solver.h with their vectors on the GPU: the same steps, the same tests
/// for the end and the same residual history up to rounding, the same bits on each run.
/// `m` may be null. Throw what solver.h says, and Error{device} of CUDA's failures;
/// control.comm must be null or of one rank.
SolveResult solve_cg(const DeviceOperator& z, const DeviceBlockPreconditioner* m,
                     std::span<const Complex> v, std::span<Complex> current,
                     const SolverControl& control, Placement placement);
SolveResult solve_cocg(const DeviceOperator& z, const DeviceBlockPreconditioner* m,
                       std::span<const Complex> v, std::span<Complex> current,
                       const SolverControl& control, Placement placement);
SolveResult solve_gmres(const DeviceOperator& z, const DeviceBlockPreconditioner* m,
                        std::span<const Complex> v, std::span<Complex> current,
                        const SolverControl& control, Placement placement);

}  // namespace thinwire
