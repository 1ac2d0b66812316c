#include "papers/sparse/sparse_gmres.h"

#include <chrono>

#include "kernels/base/error.h"
#include "papers/sparse/sparse_operator.h"

namespace thinwire {
namespace {

template <class A>
SparseGmresResult solve_in(const SparseMethod& method, const Csr<A>& matrix,
                           std::span<const Complex> b, const SolverControl& control) {
  const SparseOperator<A> z(method, matrix);
  std::vector<Complex> x(b.size());
  SparseGmresResult result;
  const auto start = std::chrono::steady_clock::now();
  result.solve = solve(Recurrence::gmres, z, nullptr, b, x, control);
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace

void check_gmres_type(SparseType type) {
  if (type != SparseType::real_double && type != SparseType::complex_double)
    throw Error(ErrorKind::usage,
                "GMRES around sparse formats runs in double. Use type d or z.");
}

SparseGmresResult sparse_gmres(const SparseMethod& method, const Csr<double>& matrix,
                               SparseType type, std::span<const Complex> b,
                               const SolverControl& control) {
  check_gmres_type(type);
  if (type == SparseType::real_double) return solve_in(method, matrix, b, control);
  return solve_in(method, sparse_input<Complex>(matrix), b, control);
}

}  // namespace thinwire
