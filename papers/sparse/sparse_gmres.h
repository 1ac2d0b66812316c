#pragma once

#include <span>

#include "cg/krylov/solver.h"
#include "papers/sparse/sparse_bench.h"
#include "papers/sparse/sparse_method.h"

namespace thinwire {

/// GMRES of Kawamura et al. 2020: no restart, no preconditioner, from zero.
struct SparseGmresResult {
  SolveResult solve;
  double seconds = 0;  ///< of the iterations, without packing and transfer of the matrix
};

/// Around one format, on the CPU. type: real or complex double, the matrix as
/// sparse_input() makes it; else Error{usage}. b: [matrix.rows].
SparseGmresResult sparse_gmres(const SparseMethod& method, const Csr<double>& matrix,
                               SparseType type, std::span<const Complex> b,
                               const SolverControl& control);
/// With matrix and vectors on the current GPU.
SparseGmresResult device_sparse_gmres(const SparseMethod& method,
                                      const Csr<double>& matrix, SparseType type,
                                      std::span<const Complex> b,
                                      const SolverControl& control);

/// Throws Error{usage} for single precision, in which GMRES does not run.
void check_gmres_type(SparseType type);

}  // namespace thinwire
