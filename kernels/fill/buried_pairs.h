#pragma once

#include <span>

#include "kernels/base/monitor.h"
#include "kernels/element/element.h"
#include "kernels/fill/far_below.h"
#include "kernels/fill/ground_pair_classes.h"
#include "kernels/ground/ground_pair.h"
#include "kernels/ground/transmission_pair.h"

namespace thinwire {

/// A real ground with wires in it, at one wave number.
struct BuriedGroundAt {
  Complex eps;
  GroundAt below;               ///< what the surface reflects back into the ground
  TransmissionGroundAt across;  ///< what passes it

  double k_rad_per_m() const { return below.k_rad_per_m; }
  GroundWaves waves() const {
    return GroundWaves::of(k_rad_per_m(), eps, GroundSide::below);
  }
};

/// The element matrix, ohm, of two elements of which one lies in the ground, or both: all
/// that acts between them.
///
/// In the ground the charges and currents have the potentials of a medium of wave number
/// k2 = k sqrt(eps), those of the image and what ground_pair gives of the elements
/// mirrored in z = 0, which then lie above a ground of 1 / eps. Across the surface
/// charges act with 2 / (eps + 1) and currents with 1 as in air, with the tubes, and the
/// rest on the axes (transmission_pair.h).
ElementMatrix buried_pair(const Element& p, const Element& q,
                          const BuriedGroundAt& ground, GreensKernel kernel);

/// The element matrices of all such pairs of a mesh at one wave number. Near pairs that
/// lie alike, as those of radial wires do, are integrated once; far ones where they are
/// asked for.
class BuriedPairs {
 public:
  /// Integrates the pairs. The arguments' references must outlive this. Throws
  /// Error{interrupted} where the monitor asks for a stop; reports no progress to it.
  BuriedPairs(std::span<const Element> elements, const BuriedGroundAt& ground,
              GreensKernel kernel, const Monitor& monitor = {});

  ElementMatrix at(std::uint32_t p, std::uint32_t q) const;

 private:
  std::span<const Element> elements_;
  const BuriedGroundAt& ground_;
  GreensKernel kernel_;
  FarBelow far_below_;
  GroundPairMatrices near_;
};

}  // namespace thinwire
