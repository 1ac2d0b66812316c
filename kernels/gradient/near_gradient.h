#pragma once

#include <span>
#include <vector>

#include "kernels/element/element.h"
#include "kernels/gradient/form_gradient.h"

namespace thinwire {

/// How two elements change along one parameter.
struct PairMotion {
  ElementMotion first, second;

  /// Whether the pair is only shifted, to rounding: its matrix stays what it is.
  bool moves_as_one() const;
};

/// Derivatives of near_pair(first, second) along each motion, ohm for each unit of its
/// parameter: [motions].
std::vector<ElementMatrix> near_pair_slopes(const Element& first, const Element& second,
                                            std::span<const PairMotion> motions,
                                            double k_rad_per_m, GreensKernel kernel);

}  // namespace thinwire
