#pragma once

#include <chrono>
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

/// Both of them: Operator is that of the place, `placement` what its solve() takes more.
template <template <class> class Operator, class... Placement>
SparseGmresResult timed_gmres(const SparseMethod& method, const Csr<double>& matrix,
                              SparseType type, std::span<const Complex> b,
                              const SolverControl& control, Placement... placement) {
  check_gmres_type(type);
  const auto solve_with = [&](const auto& z) {
    std::vector<Complex> x(b.size());
    SparseGmresResult result;
    const auto start = std::chrono::steady_clock::now();
    result.solve = solve(Recurrence::gmres, z, nullptr, b, x, control, placement...);
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  };
  if (type == SparseType::real_double)
    return solve_with(Operator<double>(method, matrix));
  return solve_with(Operator<Complex>(method, sparse_input<Complex>(matrix)));
}

}  // namespace thinwire
