#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "cg/direct/device_factors.h"
#include "cg/krylov/solver.h"
#include "cg/tiled_operator.h"

namespace thinwire {

/// Solves with the factors of DeviceLdlt, in TF32 unless the caller knows better, and
/// GMRES on the double-precision product. Where that converges too slowly, which the
/// first few steps show (element growth without pivots, or a matrix too ill-conditioned
/// for three digits), with the factors in single, then with LU; fallback() says so. GPUs
/// that share Z share the factors LDL^T, too; LU each makes whole.
class DeviceDirectSolver {
 public:
  explicit DeviceDirectSolver(const TiledOperator& z,
                              LdltProducts products = LdltProducts::tf32);
  /// Refines to `aim` where that is less than control.tolerance, but is content with the
  /// latter where rounding ends it there. The result counts the steps of refinement as
  /// iterations (0 for LU); its residual is the true one. Throws Error{memory} with need,
  /// free, n and ways out when LU is needed and does not fit; Error{interrupted}.
  SolveResult solve(std::span<const Complex> v, std::span<Complex> current,
                    const SolverControl& control, double aim = 1);
  /// Returns a clause for each method that was given up: which, why, and for what; empty
  /// if none was.
  const std::string& fallback() const { return fallback_; }

 private:
  SolveResult refine(std::span<const Complex> v, std::span<Complex> current,
                     const SolverControl& control, double aim) const;
  void fall_back(const SolveResult& refined);

  const TiledOperator& z_;
  LdltProducts products_;
  std::optional<DeviceLdlt> ldlt_;
  std::optional<DeviceLu> lu_;  ///< one of the two
  std::string fallback_;
};

/// Steps of refinement after which better factors are the better bet, and steps before
/// the first of which nothing is concluded from the residual: GMRES spends some on
/// directions in which the factors are wrong.
inline constexpr int max_refinement_steps = 60, first_judged_step = 5;

/// Whether `residual`, relative, after `step` steps of refinement lets one expect the
/// tolerance within max_refinement_steps. Asks nothing of the first few.
inline bool refinement_is_on_course(int step, double residual, double tolerance) {
  // Continues if the same reduction in every step reaches the tolerance with the last
  // one.
  return step < first_judged_step ||
         residual <=
             std::pow(tolerance, static_cast<double>(step) / max_refinement_steps);
}

}  // namespace thinwire
