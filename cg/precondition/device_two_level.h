#pragma once

#include <cstdint>
#include <span>

#include "cg/precondition/device_preconditioner.h"

namespace thinwire {

/// TwoLevelPreconditioner on the GPU: the modes, the coarse matrix P^T Z P and its
/// inverse are made there from the matrix in tiles, which is read once.
class DeviceTwoLevelPreconditioner final : public DeviceBlockPreconditioner {
 public:
  /// `modes` of each set (1 to 4), see TwoLevelPreconditioner::modes_for. Throws what
  /// DeviceBlockPreconditioner does, and Error{numeric} when the coarse matrix is
  /// singular.
  DeviceTwoLevelPreconditioner(const DeviceTiles& z, std::span<const IndexSet> sets,
                               int modes);

  std::size_t bytes() const;
  /// The same before anything is built, without what the construction takes for a while
  /// (as much again).
  static std::size_t bytes(std::span<const IndexSet> sets, int modes);

 private:
  DeviceBuffer<std::uint32_t> first_mode_, mode_set_;
  DeviceBuffer<Complex> mode_, correction_, moment_, amplitude_;
};

}  // namespace thinwire
