#include <chrono>

#include "cg/krylov/device_solver.h"
#include "papers/sparse/device_sparse_operator.h"
#include "papers/sparse/sparse_gmres.h"

namespace thinwire {
namespace {

template <class A>
SparseGmresResult solve_in(const SparseMethod& method, const Csr<A>& matrix,
                           std::span<const Complex> b, const SolverControl& control) {
  const DeviceSparseOperator<A> z(method, matrix);
  std::vector<Complex> x(b.size());
  SparseGmresResult result;
  const auto start = std::chrono::steady_clock::now();
  result.solve = solve(Recurrence::gmres, z, nullptr, b, x, control, Placement::resident);
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace

SparseGmresResult device_sparse_gmres(const SparseMethod& method,
                                      const Csr<double>& matrix, SparseType type,
                                      std::span<const Complex> b,
                                      const SolverControl& control) {
  check_gmres_type(type);
  if (type == SparseType::real_double) return solve_in(method, matrix, b, control);
  return solve_in(method, sparse_input<Complex>(matrix), b, control);
}

}  // namespace thinwire
