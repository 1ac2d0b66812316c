#pragma once

#include <memory>
#include <span>

#include "cg/device_preconditioner.h"
#include "cg/direct/ldlt_layout.h"
#include "kernels/device/exchange.h"
#include "kernels/matrix/tiles.h"

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
  /// others: of those that share z; each makes all of LU for itself.
  explicit DeviceLu(const DeviceTiles& z, DeviceExchange* others = nullptr);
  ~DeviceLu();
  /// v: [n], replaced by the solution.
  void solve(std::span<Complex> v) const;
  /// Bytes on the GPU, without cuSOLVER's workspace.
  static std::size_t bytes(std::size_t n) { return 16 * n * n + 24 * n; }

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Z = L D L^T, D of dense blocks, no pivoting between blocks (BlockLdlt): half the flops
/// of DeviceLu and, as only one triangle is stored, a quarter of its memory in complex
/// single, about 4 n^2 bytes. About three digits in TF32, six in single, all in double.
/// As a preconditioner it leaves an iterative solver only a few steps to the last digit
/// that the stored matrix allows. Where elimination without pivots grows too much, those
/// steps do not converge, and that shows.
///
/// GPUs that share Z each have every so many block columns, so that none holds more than
/// its share; every one makes the same calls.
class DeviceLdlt final : public DevicePreconditioner {
 public:
  /// others: of those that share z; must outlive this. Throws Error{memory} with need and
  /// ways out.
  explicit DeviceLdlt(const DeviceTiles& z, LdltProducts products = LdltProducts::tf32,
                      DeviceExchange* others = nullptr);
  ~DeviceLdlt() override;
  std::size_t size() const override;
  /// z = (L D L^T)^-1 r. Not finite where a block was singular.
  void multiply(const Complex* r, Complex* z, const DeviceStream& stream) const override;
  std::size_t bytes() const override;
  /// Bytes on each GPU: the factors, panels, vectors.
  static std::size_t bytes(std::size_t n, LdltProducts products = LdltProducts::tf32,
                           int owners = 1) {
    const LdltLayout layout = LdltLayout::of_owner(n, owners, 0);
    const std::size_t entry = products == LdltProducts::complex_double ? 16 : 8;
    return entry * (layout.entries() + layout.panels(true) * layout.work() +
                    2 * layout.order()) +
           32 * n;
  }

 private:
  std::unique_ptr<DevicePreconditioner> factors_;
};

}  // namespace thinwire
