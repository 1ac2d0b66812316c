#pragma once

#include "cg/direct/device_factors.h"
#include "cg/precondition/block_modes.h"
#include "cg/precondition/device_overlap.h"

namespace thinwire {

/// Reads blocks on the diagonal of Z from the GPU, so many at a time as memory allows:
/// [sets], each column by column. Throws Error{memory}, Error{device}.
std::vector<std::vector<Complex>> read_blocks(
    std::span<const BlockPreconditioner::IndexSet> sets, const DeviceBlockReader& read);

/// TwoLevelPreconditioner for tens of thousands of blocks, on the GPU: the coarse matrix
/// Zc is factored in TF32 (DeviceLdlt), 8 n^2 bytes with its factors where an inverse in
/// double would need 16; D is taken out of the blocks,
///     M = (B - P D^-1 P^T) + P Zc^-1 P^T.
/// M is symmetric to the rounding of single precision.
class DeviceModePreconditioner final : public DeviceBlockPreconditioner {
 public:
  /// coarse: Zc of modes.size() rows, in tiles of complex single; may go afterwards.
  /// Throws Error{memory} with need and ways out.
  DeviceModePreconditioner(const BlockModes& modes, const DeviceTiles& coarse);

  void multiply(const Complex* r, Complex* z, const DeviceStream& stream) const override;
  /// Null: kernels that apply blocks know nothing of the factors.
  const PreconditionerBlocks* blocks() const override { return nullptr; }
  std::size_t bytes() const override;

 private:
  DeviceLdlt factors_;
  DeviceBuffer<std::uint32_t> first_mode_, mode_set_;
  DeviceBuffer<Complex> mode_, moment_, amplitude_;
};

}  // namespace thinwire
