#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cg/krylov/shared_direct.h"
#include "cg/preconditioner.h"
#include "cg/shared_matrix.h"
#include "mom/systems/host_fill.h"
#include "mom/systems/system.h"

namespace thinwire {

/// The dense matrix on the CPUs of several ranks, each of which fills, stores and
/// multiplies its share of the tiles. Vectors are whole on every rank, and so are
/// preconditioners, so that the solvers are those of one rank and take the same steps.
/// The direct one is SharedDirectSolver.
///
/// All ranks make the same calls; what they return is the same on all, but for
/// gather_rows() and scatter_rows().
class SharedCpuSystem final : public System {
 public:
  /// Shares by tile_weights. ranks outlives the System.
  SharedCpuSystem(const SystemInput& input, const Comm& ranks);
  /// share: of this rank, see SharedMatrix.
  SharedCpuSystem(const SystemInput& input, TileShare share, const Comm& ranks)
      : input_(input), share_(share), ranks_(ranks), vectors_(ranks), fill_(input) {}

  void fill(const FillParameters& parameters, const SolverPlan& plan,
            const Monitor& monitor) override;
  void prepare(Method method, const Monitor& monitor) override;
  bool direct_fits() const override;
  std::vector<SolveResult> solve(std::span<const Complex> v, std::span<Complex> current,
                                 const SolverControl& control) override;
  void gather_rows(const TakeRows& take) const override { matrix_->gather_rows(take); }
  bool scatters_rows() const override { return true; }
  void scatter_rows(const TakeRows& take) const override { matrix_->scatter_rows(take); }

 private:
  void factor(const Monitor& monitor);
  std::unique_ptr<Preconditioner> make_preconditioner(const Monitor& monitor) const;
  std::unique_ptr<Preconditioner> blocks_of_own_tiles() const;
  SolverControl together(const SolverControl& control) const;

  SystemInput input_;
  TileShare share_;
  const Comm& ranks_;
  WholeVectors vectors_;
  Method method_;
  HostFill fill_;
  Medium medium_;                    ///< of the matrix, or where its images lie
  std::vector<MatrixUpdate> loads_;  ///< in it
  FillInput rules_;                  ///< of its other entries
  std::unique_ptr<SharedMatrix> matrix_;
  std::unique_ptr<SharedDirectSolver> direct_;
  std::unique_ptr<Preconditioner> preconditioner_;
};

}  // namespace thinwire
