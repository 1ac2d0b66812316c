#include "cg/direct/direct.h"

#include <cblas.h>
#include <fmt/format.h>
#include <lapacke.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "cg/blas_threads.h"
#include "cg/direct/inverse_norm.h"
#include "cg/many_rhs.h"
#include "kernels/base/error.h"
#include "kernels/matrix/whole_matrix.h"

namespace thinwire {
namespace {

static_assert(std::is_same_v<lapack_int, int>);

/// Up to here SplitLdlt is as fast as LAPACK on one thread or faster: 0.057, 1.2 and 5.6
/// ms against 0.115, 1.4 and 6.2 for 100, 303 and 500 unknowns (one core of an AMD EPYC
/// with AVX2, OpenBLAS 0.3.21).
constexpr std::size_t max_by_split_ldlt = 1000;
/// Limit of the growth factor: beyond it more than two digits are lost.
constexpr double max_growth = 64;

lapack_complex_double* lapack(Complex* a) {
  return reinterpret_cast<lapack_complex_double*>(a);
}

// 1-norm of the symmetric matrix whose lower triangle is in z; NaN and infinity show.
double symmetric_norm1(std::size_t n, const std::vector<Complex>& z) {
  std::vector<double> column_sum(n, 0);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) {
      const double size = std::abs(z[i + j * n]);
      column_sum[j] += size;
      if (i != j) column_sum[i] += size;
    }
  double norm = 0;
  for (const double sum : column_sum) norm = sum > norm || std::isnan(sum) ? sum : norm;
  return norm;
}

int blas_threads(std::size_t n) {
  return n < min_unknowns_for_threads ? 1 : omp_get_max_threads();
}

/// LAPACKE_zsytrf with a workspace of our own, one column longer than what LAPACK asks
/// for: OpenBLAS 0.3.21's zgemv reads one stride beyond the end of x where the matrix has
/// two rows left, and zlasyf's x is a row of the workspace. At n = 1000 it crashed in one
/// of ten runs.
lapack_int factor_symmetric(lapack_int n, lapack_complex_double* a, lapack_int* pivots) {
  Complex wanted;
  lapack_int info =
      LAPACKE_zsytrf_work(LAPACK_COL_MAJOR, 'L', n, a, n, pivots, lapack(&wanted), -1);
  if (info != 0) return info;
  const auto length = static_cast<lapack_int>(wanted.real());
  std::vector<Complex> work(static_cast<std::size_t>(length) +
                            static_cast<std::size_t>(n));
  return LAPACKE_zsytrf_work(LAPACK_COL_MAJOR, 'L', n, a, n, pivots, lapack(work.data()),
                             length);
}

}  // namespace

DirectSolver::DirectSolver(std::size_t n, std::vector<Complex>&& z)
    : n_(n), factors_(std::move(z)), pivots_(n) {
  if (n_ == 0 || n_ > std::numeric_limits<int>::max() || factors_.size() != n_ * n_)
    throw Error(
        ErrorKind::numeric,
        fmt::format("direct solver: the matrix is not {0} x {0} (got {1} entries).", n_,
                    factors_.size()));
  require_blas_buffers(blas_threads(n_));
  norm1_ = symmetric_norm1(n_, factors_);
  if (!std::isfinite(norm1_))
    throw Error(ErrorKind::numeric,
                fmt::format("direct solver: the matrix has an entry that is not finite "
                            "(N = {}). Check the geometry for degenerate wires.",
                            n_));
  const BlasThreads threads(blas_threads(n_));
  const auto order = static_cast<lapack_int>(n_);
  const lapack_int info =
      factor_symmetric(order, lapack(factors_.data()), pivots_.data());
  if (info > 0)
    throw Error(ErrorKind::numeric,
                fmt::format("direct solver: the matrix is singular (pivot {} of {} is "
                            "zero). Check the geometry for wires given twice.",
                            info, n_));
  if (info < 0)
    throw Error(ErrorKind::memory,
                fmt::format("direct solver: LAPACK could not factor the matrix (zsytrf "
                            "returned {}, N = {}). Use an iterative solver.",
                            info, n_));
}

DirectSolver::DirectSolver(PackedTiles layout, std::span<const Complex> tiles)
    : n_(layout.n) {
  if (n_ > 0 && n_ <= max_by_split_ldlt) {
    split_.emplace(layout, tiles);
    norm1_ = split_->norm1();
    // Written so that NaN goes to LAPACK, which says what is wrong.
    if (split_->growth() <= max_growth) return;
  }
  *this = DirectSolver(n_, whole_matrix(layout, tiles));
}

void DirectSolver::solve(std::span<Complex> v) const {
  if (v.size() % n_ != 0)
    throw Error(ErrorKind::numeric,
                fmt::format("direct solver: right-hand sides have {} entries, not a "
                            "multiple of N = {}.",
                            v.size(), n_));
  if (v.empty()) return;
  if (split_) return split_->solve(v);
  const auto order = static_cast<lapack_int>(n_),
             count = static_cast<lapack_int>(v.size() / n_);
  // The _work variants skip a search for NaN through the whole matrix.
  if (v.size() >= min_rhs_for_blas * n_) {
    const BlasThreads threads(omp_get_max_threads());
    std::vector<Complex> work(n_);
    LAPACKE_zsytrs2_work(LAPACK_COL_MAJOR, 'L', order, count, lapack(factors_.data()),
                         order, pivots_.data(), lapack(v.data()), order,
                         lapack(work.data()));
    return;
  }
  const BlasThreads threads(blas_threads(n_));
  LAPACKE_zsytrs_work(LAPACK_COL_MAJOR, 'L', order, count, lapack(factors_.data()), order,
                      pivots_.data(), lapack(v.data()), order);
}

bool DirectSolver::clearly_regular() const {
  constexpr double far_above_rounding = 1e-8;
  return split_ && split_->smallest_pivot() > far_above_rounding;
}

double DirectSolver::reciprocal_condition() const {
  if (split_)
    return 1 / (norm1_ *
                inverse_norm1(n_, [this](std::span<Complex> x) { split_->solve(x); }));
  const BlasThreads threads(blas_threads(n_));
  const auto order = static_cast<lapack_int>(n_);
  std::vector<Complex> work(2 * n_);
  double result = 0;
  LAPACKE_zsycon_work(LAPACK_COL_MAJOR, 'L', order, lapack(factors_.data()), order,
                      pivots_.data(), norm1_, &result, lapack(work.data()));
  return result;
}

std::string blas_name() {
  return openblas_get_config();
}

}  // namespace thinwire
