#include "cg/precondition/two_level_schwarz.h"

#include <utility>

#include <fmt/format.h>

#include "kernels/base/error.h"
#include "kernels/base/parallel.h"

namespace thinwire {

void check_two_levels(const LinearOperator& z, const Preconditioner& blocks,
                      const Csr<double>& prolongation, std::size_t coarse) {
  if (blocks.size() != z.size() || prolongation.rows != z.size() ||
      prolongation.columns != coarse)
    throw Error(ErrorKind::numeric,
                fmt::format("two-level Schwarz: blocks of {} unknowns, a prolongation of "
                            "{} x {} and a coarse matrix of {} do not fit the operator's "
                            "{} unknowns.",
                            blocks.size(), prolongation.rows, prolongation.columns,
                            coarse, z.size()));
}

void multiply(const Csr<double>& a, std::span<const Complex> x, std::span<Complex> y) {
  for_each_cheap(a.rows, [&](std::size_t row) {
    Complex sum = 0;
    for (std::int64_t k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k)
      sum += a.value[k] * x[a.column[k]];
    y[row] = sum;
  });
}

TwoLevelSchwarz::TwoLevelSchwarz(const LinearOperator& z,
                                 std::unique_ptr<OverlapPreconditioner> blocks,
                                 Csr<double> prolongation, std::vector<Complex> coarse)
    : z_(&z),
      blocks_(std::move(blocks)),
      prolongation_(std::move(prolongation)),
      restriction_(transposed(prolongation_)),
      coarse_(prolongation_.columns, std::move(coarse)) {
  check_two_levels(z, *blocks_, prolongation_, coarse_.size());
}

void TwoLevelSchwarz::apply(std::span<const Complex> r, std::span<Complex> z) const {
  std::vector<Complex> amplitude(coarse_.size()), y(size()), residual(size());
  multiply(restriction_, r, amplitude);
  coarse_.solve(amplitude);
  multiply(prolongation_, amplitude, y);
  z_->apply(y, residual);
  for_each_cheap(size(), [&](std::size_t i) { residual[i] = r[i] - residual[i]; });
  blocks_->apply(residual, z);
  for_each_cheap(size(), [&](std::size_t i) { z[i] += y[i]; });
}

}  // namespace thinwire
