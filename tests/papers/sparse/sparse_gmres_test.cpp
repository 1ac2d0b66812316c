// GMRES of Kawamura et al. 2020 around every sparse format.
#include <gtest/gtest.h>

#include "papers/sparse/sparse_operator.h"
#include "tests/papers/sparse/sparse_gmres.h"

namespace thinwire::sparse_gmres_test {
namespace {

using namespace testing;

template <class A>
void solve_in_every_format() {
  const std::size_t n = 150;
  const Csr<A> symmetric = with_diagonal(symmetric_matrix<A>(n), 12),
               uneven = with_diagonal(uneven_matrix<A>(n), 12);
  const std::vector<Complex> b = random_vector<Complex>(n, 8);
  int of_csr[2] = {};
  // Formats whose CPU products differ.
  for (const char* name : {"csr", "ell", "ell-r", "rbp-csr", "rbp-ell", "rbp-ell-r",
                           "segmented-scan", "runs"}) {
    const SparseMethod& method = sparse_method_named(name);
    const bool runs = method.format == SparseFormat::runs;
    for (const Csr<A>* matrix : {&symmetric, &uneven}) {
      if (runs && matrix == &uneven) continue;
      const SparseOperator<A> z(method, *matrix);
      std::vector<Complex> x(n);
      const SolveResult result = solve(Recurrence::gmres, z, nullptr, b, x, to_1e_10());
      EXPECT_EQ(result.status, SolveStatus::converged) << method.name;
      EXPECT_LT(true_residual(*matrix, b, x), 1e-10) << method.name;
      int& expected = of_csr[matrix == &uneven];
      if (method.name == "csr") expected = result.iterations;
      EXPECT_GT(result.iterations, 10) << method.name;
      EXPECT_NEAR(result.iterations, expected, 1) << method.name;
    }
  }
}

TEST(SparseGmres, RealMatrixInEveryFormat) {
  solve_in_every_format<double>();
}
TEST(SparseGmres, ComplexMatrixInEveryFormat) {
  solve_in_every_format<Complex>();
}

}  // namespace
}  // namespace thinwire::sparse_gmres_test
