#pragma once

#include <memory>
#include <span>
#include <string>

#include "cg/device_operator.h"
#include "cg/ldlt_layout.h"
#include "cg/preconditioner.h"
#include "cg/solver.h"

namespace thinwire {

/// LU of the whole matrix in complex double with row pivoting, by cuSOLVER: 8/3 n^3 flop,
/// in place in a copy of Z that is whole (16 n^2 bytes). The tiles stay beside it: to
/// write the copy takes both at once whatever is freed afterwards, and the residual that
/// says whether the solution is good is computed with the tiles. The reference of the
/// GPU's direct solvers, and what is left where elimination needs pivots.
class DeviceLu {
 public:
  /// Throws Error{memory} with need and ways out; Error{numeric} when Z is exactly
  /// singular.
  explicit DeviceLu(const DeviceTiles& z);
  ~DeviceLu();
  /// v: [n], replaced by the solution.
  void solve(std::span<Complex> v) const;
  /// Bytes on the GPU, without cuSOLVER's workspace.
  static std::size_t bytes(std::size_t n) { return 16 * n * n + 24 * n; }

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// What the products of DeviceLdlt keep of a factor: 11 bits (TF32, on the tensor cores)
/// or the 24 of complex single, at half to a third of the speed.
enum class LdltProducts { tf32, single };

/// Z = L D L^T in complex single, D of dense blocks, no pivoting between blocks
/// (BlockLdlt): half the flops of DeviceLu and, as only one triangle is stored, a quarter
/// of its memory: about 4 n^2 bytes. About three digits in TF32, six in single. As a
/// preconditioner it leaves an iterative solver only a few steps to the last digit that
/// the stored matrix allows. Where elimination without pivots grows too much, those steps
/// do not converge, and that shows.
class DeviceLdlt final : public Preconditioner {
 public:
  /// Throws Error{memory} with need and ways out.
  explicit DeviceLdlt(const DeviceTiles& z, LdltProducts products = LdltProducts::tf32);
  ~DeviceLdlt() override;
  std::size_t size() const override;
  /// z = (L D L^T)^-1 r. Not finite where a block was singular.
  void apply(std::span<const Complex> r, std::span<Complex> z) const override;
  /// Bytes on the GPU: the factors, one panel of `work`, vectors.
  static std::size_t bytes(std::size_t n) {
    const LdltLayout layout{n};
    return 8 * (layout.entries() + layout.work() + 2 * layout.order()) + 16 * n;
  }

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Solves with the factors of DeviceLdlt in TF32 and GMRES on the double-precision
/// product. Where that converges too slowly, which the first few steps show (element
/// growth without pivots, or a matrix too ill-conditioned for three digits), with the
/// factors in single, then with LU; fallback() says so.
class DeviceDirectSolver {
 public:
  explicit DeviceDirectSolver(const DeviceOperator& z);
  /// Refines to `aim` where that is less than control.tolerance, but is content with the
  /// latter where rounding ends it there. The result counts the steps of refinement as
  /// iterations (0 for LU); its residual is the true one. Throws Error{memory} with need,
  /// free, n and ways out when LU is needed and does not fit; Error{interrupted}.
  SolveResult solve(std::span<const Complex> v, std::span<Complex> current,
                    const SolverControl& control, double aim = 1);
  /// What was given up, why, and for what: a clause for each time; empty where there was
  /// no need.
  const std::string& fallback() const { return fallback_; }

 private:
  SolveResult refine(std::span<const Complex> v, std::span<Complex> current,
                     const SolverControl& control, double aim) const;
  void fall_back(const SolveResult& refined);

  const DeviceOperator& z_;
  LdltProducts products_ = LdltProducts::tf32;
  std::unique_ptr<DeviceLdlt> ldlt_;
  std::unique_ptr<DeviceLu> lu_;  ///< one of the two
  std::string fallback_;
};

/// Whether `residual`, relative, after `step` steps of refinement lets one expect the
/// tolerance within the steps that LDL^T is worth. Asks nothing of the first few.
bool refinement_is_on_course(int step, double residual, double tolerance);

}  // namespace thinwire
