#pragma once

#include <memory>
#include <span>

#include "cg/device_operator.h"
#include "cg/preconditioner.h"
#include "cg/solver.h"

namespace thinwire {

/// LU of the whole matrix in complex double with row pivoting, by cuSOLVER: 8/3 n^3 flop,
/// 16 n^2 bytes beside the tiles. The reference of the GPU's direct solvers.
class DeviceLu {
 public:
  /// Throws Error{memory} with need and ways out; Error{numeric} when Z is exactly
  /// singular.
  explicit DeviceLu(const DeviceTiles& z);
  ~DeviceLu();
  /// v: [n], replaced by the solution.
  void solve(std::span<Complex> v) const;
  /// Bytes on the GPU, without cuSOLVER's workspace.
  static std::size_t bytes(std::size_t n) { return 16 * n * n; }

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Z = L D L^T in complex single with the tensor cores' TF32 products, D of dense blocks,
/// no pivoting between blocks: half the flops and a quarter of the memory of DeviceLu
/// (8 n^2 bytes), about three digits. As a preconditioner it leaves an iterative solver
/// only a few steps to the last digit that the stored matrix allows. Where elimination
/// without pivots grows too much, those steps do not converge, and that shows.
class DeviceLdlt final : public Preconditioner {
 public:
  /// Throws Error{memory} with need and ways out.
  explicit DeviceLdlt(const DeviceTiles& z);
  ~DeviceLdlt() override;
  std::size_t size() const override;
  /// z = (L D L^T)^-1 r. Not finite where a block was singular.
  void apply(std::span<const Complex> r, std::span<Complex> z) const override;
  /// Bytes on the GPU.
  static std::size_t bytes(std::size_t n);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Solves with the factors of DeviceLdlt and GMRES on the double-precision product; where
/// that does not reach the tolerance and LU fits, with LU. The result counts the steps of
/// refinement as iterations (0 for LU); its residual is the true one.
class DeviceDirectSolver {
 public:
  explicit DeviceDirectSolver(const DeviceOperator& z);
  SolveResult solve(std::span<const Complex> v, std::span<Complex> current,
                    const SolverControl& control);

 private:
  const DeviceOperator& z_;
  std::unique_ptr<DeviceLdlt> ldlt_;
  std::unique_ptr<DeviceLu> lu_;
};

}  // namespace thinwire
