#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cg/device_operator.h"
#include "cg/krylov/refined_direct.h"
#include "cg/precondition/device_preconditioner.h"
#include "kernels/fill/device_fill.h"
#include "mom/loads.h"
#include "mom/system/linear_solve.h"

namespace thinwire {

/// The matrix of one structure on the current GPU: filled there, made ready and solved
/// there, frequency by frequency. What LinearSolve and ImpedanceMatrix are on the CPU.
///
/// Precision (Options::precision): `double` and `single` say how the matrix is stored;
/// `mixed` stores it in single and refines against the residual of the matrix in double,
/// whose entries are computed anew and never stored.
class DeviceSystem final : public PreparedSystem {
 public:
  /// range: the wave numbers to come; perfect_ground: whether any run
  /// has one. Throws Error{memory} with need, free and ways out, Error{device}.
  DeviceSystem(LinearSolve::Context context, GreensKernel kernel, WavenumberRange range,
               bool perfect_ground);

  /// Fills the matrix, adds the loads, and makes the solver ready by the plan.
  void prepare(double k_rad_per_m, bool perfect_ground, const LoadModel& loads,
               const SolverPlan& plan);

  std::vector<Complex> solve(std::span<const Complex> v) override;

  /// The whole matrix on the host, column-major [n][n].
  std::vector<Complex> dense() const;

 private:
  void prepare_near_pairs(const SolverPlan& plan);
  void prepare_solver();
  bool go_on_with_direct(const SolveResult& ended);
  SolveResult run(std::span<const Complex> v, std::span<Complex> current,
                  const SolverControl& limits);
  SolveResult run_iterative(std::span<const Complex> v, std::span<Complex> current,
                            const SolverControl& control);
  SolveResult refine(std::span<const Complex> v, std::span<Complex> current);
  void residual(std::span<const Complex> v, std::span<const Complex> current,
                std::span<Complex> r);
  SolverControl control(double tolerance) const;

  LinearSolve::Context context_;
  SolverPlan plan_;
  Storage storage_;
  bool mixed_;
  WavenumberRange range_;
  bool near_pairs_ready_ = false;  ///< for interpolation, or held not to be worth it
  bool perfect_ground_ = false;
  DeviceStream stream_;
  DeviceFill fill_;
  DeviceTiles tiles_;
  DeviceOperator operator_;
  std::vector<MatrixUpdate> loads_;
  DeviceBuffer<Complex> x_, y_;  // of the residual, [padded]
  std::unique_ptr<DeviceBlockPreconditioner> preconditioner_;
  std::unique_ptr<DeviceDirectSolver> direct_;
};

}  // namespace thinwire
