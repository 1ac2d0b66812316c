#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "kernels/fill/near_pair_table.h"
#include "mom/ground_sweep.h"
#include "mom/kept_ground.h"
#include "mom/system/system.h"

namespace thinwire {

/// Whether CPU cores compute the matrix wherever it is solved: over a ground by
/// reflection coefficients, and with wires in the ground.
bool wants_host_fill(std::span<const Element> elements, const Ground& ground);

/// The whole matrix as CPU cores compute it, over any ground; keeps from frequency to
/// frequency what they share.
class HostFill {
 public:
  /// make_fitter: where tables of the ground are made.
  explicit HostFill(const SystemInput& input, MakeBoxFitter make_fitter = cpu_box_fitter)
      : input_(input),
        ground_(input.antenna.elements(), input.wavenumbers, input.kernel(),
                {input.table_error(), make_fitter}) {}

  /// Fills z (packed_tiles.h, ohm), without loads. taken_bytes: of the host's free memory
  /// will be wanted by others. Throws what the monitor does.
  void fill(const Environment& environment, std::size_t taken_bytes, std::span<Complex> z,
            const Monitor& monitor);

 private:
  void set_near_pairs(double k_rad_per_m, std::size_t taken_bytes);
  void prepare_sweep(const Ground& ground, std::size_t taken_bytes,
                     const Monitor& monitor);

  SystemInput input_;
  std::unique_ptr<NearPairTable> near_;  ///< of all frequencies
  double near_k_rad_per_m_ = 0;          ///< the one that it is set to
  KeptGround ground_;
  Ground swept_ground_ = Ground::none;  ///< what ground_sweep_ was tried for
  std::optional<GroundSweep> ground_sweep_;
};

}  // namespace thinwire
