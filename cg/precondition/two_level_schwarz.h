#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "cg/direct/direct.h"
#include "cg/precondition/overlap.h"
#include "kernels/spmv/csr.h"

namespace thinwire {

/// Two-level overlapping Schwarz, multiplicative between the levels (B. Smith, P.
/// Bjorstad, W. Gropp, Domain Decomposition, 1996, chapter 2): the coarse space first,
/// then overlapping blocks for what it leaves,
///
///     y = P (P^T Z P)^-1 P^T r,   z = y + B (r - Z y),
///
/// B being OverlapPreconditioner. One product with Z an application, so that GMRES takes
/// two an iteration; it is to be `flexible`, as B is in complex single. Not symmetric.
class TwoLevelSchwarz final : public Preconditioner {
 public:
  /// z: must outlive this. prolongation: P, [z.size()][coarse functions], at least one.
  /// coarse: P^T Z P or something near it, column-major, of which the lower triangle is
  /// read. Throws Error{numeric} where sizes differ, and as DirectSolver does.
  TwoLevelSchwarz(const LinearOperator& z, std::unique_ptr<OverlapPreconditioner> blocks,
                  Csr<double> prolongation, std::vector<Complex> coarse);

  std::size_t size() const override { return z_->size(); }
  bool symmetric() const override { return false; }
  void apply(std::span<const Complex> r, std::span<Complex> z) const override;
  void set_operator(const LinearOperator& z) override { z_ = &z; }
  std::size_t coarse_functions() const override { return coarse_.size(); }

 private:
  const LinearOperator* z_;
  std::unique_ptr<OverlapPreconditioner> blocks_;
  Csr<double> prolongation_, restriction_;
  DirectSolver coarse_;
};

/// Throws Error{numeric} unless blocks, prolongation and coarse matrix, of so many rows,
/// fit the operator.
void check_two_levels(const LinearOperator& z, const Preconditioner& blocks,
                      const Csr<double>& prolongation, std::size_t coarse);

/// y = A x. x: [columns], y: [rows]; the same bits with any number of threads.
void multiply(const Csr<double>& a, std::span<const Complex> x, std::span<Complex> y);

}  // namespace thinwire
