#pragma once

#include <memory>
#include <optional>

#include "cg/direct/direct.h"
#include "cg/impedance_matrix.h"
#include "cg/preconditioner.h"
#include "mom/systems/backend.h"
#include "mom/systems/host_fill.h"
#include "mom/systems/loop_system.h"

namespace thinwire {

/// The dense matrix on the CPU.
class CpuSystem final : public System {
 public:
  explicit CpuSystem(const SystemInput& input) : CpuSystem(input, HostFill(input)) {}

  void fill(const FillParameters& parameters, const SolverPlan& plan,
            const Monitor& monitor) override;
  void expect(std::span<const double> k_rad_per_m) override { fill_.expect(k_rad_per_m); }
  void prepare(Method method, const Monitor& monitor) override;
  bool direct_fits() const override;
  std::vector<SolveResult> solve(std::span<const Complex> v, std::span<Complex> current,
                                 const SolverControl& control) override;
  std::unique_ptr<System> clone() const override;
  /// Iteration without a preconditioner keeps the reactance alone.
  bool keeps_small_loops() const override {
    return by_loops_ && (direct_ || preconditioner_);
  }
  std::size_t coarse_functions() const override {
    return preconditioner_ ? preconditioner_->coarse_functions() : 0;
  }
  void gather_rows(const TakeRows& take) const override {
    thinwire::gather_rows(matrix_->layout(), matrix_->tiles(), take);
  }

 private:
  CpuSystem(const SystemInput& input, HostFill fill)
      : input_(input), fill_(std::move(fill)) {}

  void take(const StoredMatrix& stored);
  void separate_loops(const FillParameters& parameters, const SolverPlan& plan);
  const ImpedanceMatrix& solved_matrix() const {
    return by_loops_ ? by_loops_->matrix() : *matrix_;
  }
  void make_preconditioner(const Monitor& monitor);
  std::vector<SolveResult> solve_prepared(std::span<const Complex> v,
                                          std::span<Complex> x,
                                          const SolverControl& control);

  SystemInput input_;
  Method method_;
  HostFill fill_;
  std::unique_ptr<ImpedanceMatrix> matrix_;
  double k_rad_per_m_ = 0;
  Medium medium_;                         ///< of the matrix, or where its images lie
  std::vector<MatrixUpdate> loads_;       ///< in it
  std::unique_ptr<LoopSystem> by_loops_;  ///< null: the functions are the unknowns
  std::unique_ptr<DirectSolver> direct_;  ///< null: solved by iteration
  std::unique_ptr<Preconditioner> preconditioner_;
};

/// The CPU with all threads of OpenMP.
class CpuBackend : public Backend {
 public:
  std::string name() const override { return "cpu"; }
  std::unique_ptr<System> make_system(const SystemInput& input) const override;
  void far_field(const CurrentMoments& moments, std::span<const Direction> directions,
                 double k_rad_per_m, std::span<Complex> e_theta_v,
                 std::span<Complex> e_phi_v) const override {
    thinwire::far_field(moments, directions, k_rad_per_m, e_theta_v, e_phi_v);
  }
  void electric_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                      double k_rad_per_m, std::span<Complex> e_v_per_m) const override {
    thinwire::electric_field(sources, points_m, k_rad_per_m, e_v_per_m);
  }
  void magnetic_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                      double k_rad_per_m, std::span<Complex> h_a_per_m) const override {
    thinwire::magnetic_field(sources, points_m, k_rad_per_m, h_a_per_m);
  }
  double terms_at_once() const override { return 2e8; }
  double max_power_terms() const override { return 4e9; }
};

}  // namespace thinwire
