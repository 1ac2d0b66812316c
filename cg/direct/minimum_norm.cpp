#include "cg/direct/minimum_norm.h"

#include <fmt/format.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cg/blas_threads.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// Columns that add less than this to the others count as dependent on them: rounding
/// leaves some 1e-16.
constexpr double dependent = 1e-14;

void scale_rows(std::size_t n, std::vector<Complex>& matrix, std::vector<Complex>& b) {
  for (std::size_t i = 0; i < n; ++i) {
    double largest = 0;
    for (std::size_t j = 0; j < n; ++j)
      largest = std::max(largest, std::abs(matrix[i + j * n]));
    if (largest == 0) continue;
    for (std::size_t j = 0; j < n; ++j) matrix[i + j * n] /= largest;
    for (std::size_t j = i; j < b.size(); j += n) b[j] /= largest;
  }
}

MinimumNorm solve_once(std::size_t n, std::vector<Complex> matrix,
                       std::vector<Complex> b) {
  require_blas_buffers(1);
  std::vector<lapack_int> pivots(n, 0);
  const auto order = static_cast<lapack_int>(n);
  lapack_int rank = 0;
  const lapack_int info = LAPACKE_zgelsy(
      LAPACK_COL_MAJOR, order, order, static_cast<lapack_int>(b.size() / n),
      reinterpret_cast<lapack_complex_double*>(matrix.data()), order,
      reinterpret_cast<lapack_complex_double*>(b.data()), order, pivots.data(), dependent,
      &rank);
  if (info != 0)
    throw Error(ErrorKind::numeric,
                fmt::format("equations of {} ports and networks could not be solved (an "
                            "entry is not finite). Check the values of TL and NT.",
                            n));
  return {std::move(b), 0, static_cast<std::size_t>(rank)};
}

}  // namespace

MinimumNorm minimum_norm_solution(std::size_t n, std::vector<Complex> matrix,
                                  std::vector<Complex> b) {
  constexpr int refinements = 2;
  MinimumNorm result;
  result.x.assign(b.size(), 0);
  if (b.empty()) return result;
  scale_rows(n, matrix, b);
  double largest = 0;
  for (const Complex& value : b) largest = std::max(largest, std::abs(value));
  std::vector<Complex> left = b;
  for (int step = 0; step <= refinements; ++step) {
    const MinimumNorm change = solve_once(n, matrix, left);
    result.rank = change.rank;
    for (std::size_t i = 0; i < b.size(); ++i) result.x[i] += change.x[i];
    result.residual = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      const std::size_t row = i % n, rhs = i - row;
      std::complex<long double> sum = b[i];
      for (std::size_t j = 0; j < n; ++j)
        sum -= std::complex<long double>(matrix[row + j * n]) *
               std::complex<long double>(result.x[rhs + j]);
      left[i] = Complex(sum);
      result.residual = std::max(result.residual, std::abs(left[i]));
    }
    if (largest > 0) result.residual /= largest;
  }
  return result;
}

}  // namespace thinwire
