#pragma once

#include <vector>

#include "cg/krylov/solver.h"
#include "tests/kernels/spmv/sparse_samples.h"

namespace thinwire::testing {

/// Systems of GMRES with sparse matrices: the samples with a diagonal that dominates half
/// of the rows only, so that it takes some iterations.
template <class A>
Csr<A> with_diagonal(Csr<A> matrix, double size) {
  std::vector<std::set<std::uint32_t>> rows(matrix.rows);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    rows[i].insert(matrix.column.begin() + matrix.row_ptr[i],
                   matrix.column.begin() + matrix.row_ptr[i + 1]);
    rows[i].insert(static_cast<std::uint32_t>(i));
  }
  Csr<A> result = with_columns<A>(rows, matrix.columns);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    std::int64_t from = matrix.row_ptr[i];
    for (std::int64_t k = result.row_ptr[i]; k < result.row_ptr[i + 1]; ++k) {
      const bool there =
          from < matrix.row_ptr[i + 1] && matrix.column[from] == result.column[k];
      result.value[k] = there ? matrix.value[from++] : A(0);
      if (result.column[k] == i) result.value[k] += A(size);
    }
  }
  return result;
}

/// |b - A x| / |b| in long double.
template <class A>
double true_residual(const Csr<A>& matrix, const std::vector<Complex>& b,
                     const std::vector<Complex>& x) {
  const auto product = exact_product(matrix, Complex(1), x, Complex(0), b);
  long double difference = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += std::norm(product[i] - wide(b[i]));
    size += std::norm(wide(b[i]));
  }
  return static_cast<double>(std::sqrt(difference / size));
}

inline SolverControl to_1e_10() {
  SolverControl control;
  control.tolerance = 1e-10;
  control.max_iterations = 1000;
  return control;
}

}  // namespace thinwire::testing
