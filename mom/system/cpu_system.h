#pragma once

#include <memory>
#include <optional>

#include "cg/direct/direct.h"
#include "cg/preconditioner.h"
#include "kernels/fill/near_pair_table.h"
#include "mom/ground_sweep.h"
#include "mom/impedance_matrix.h"
#include "mom/system/backend.h"

namespace thinwire {

/// The dense matrix on the CPU.
class CpuSystem final : public System {
 public:
  explicit CpuSystem(const SystemInput& input);

  void fill(const Environment& environment, const SolverPlan& plan,
            const Monitor& monitor) override;
  void prepare(Method method, const Monitor& monitor) override;
  bool direct_fits() const override;
  std::vector<SolveResult> solve(std::span<const Complex> v, std::span<Complex> current,
                                 const SolverControl& control) override;
  std::vector<Complex> dense() const override { return matrix_->dense(); }

 private:
  void prepare_sweep(const Ground& ground, std::size_t taken_bytes,
                     const Monitor& monitor);
  void take(const StoredMatrix& stored);
  void factor();
  void make_preconditioner(const Monitor& monitor);
  std::vector<SolveResult> solve_direct(std::span<const Complex> v,
                                        std::span<Complex> current,
                                        const SolverControl& control) const;

  SystemInput input_;
  Method method_;
  std::unique_ptr<NearPairTable> near_;  ///< of all frequencies
  double near_k_rad_per_m_ = 0;          ///< the one that it is set to
  Ground swept_ground_ = Ground::none;   ///< what ground_sweep_ was tried for
  std::optional<GroundSweep> ground_sweep_;
  std::unique_ptr<ImpedanceMatrix> matrix_;
  Medium medium_;                    ///< of the matrix, or where its images lie
  std::vector<MatrixUpdate> loads_;  ///< in it
  std::unique_ptr<DirectSolver> direct_;
  std::unique_ptr<Preconditioner> preconditioner_;
};

}  // namespace thinwire
