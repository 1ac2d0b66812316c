#pragma once

#include <cstdint>
#include <span>

#include "kernels/element/element.h"

namespace thinwire {

/// A basis function: the sum of at most two shape functions, sign times u_end of an
/// element. One term alone is the half function of a wire that stands on the ground.
struct BasisFunction {
  std::uint32_t element[2] = {0, 0};
  std::uint8_t end[2] = {0, 0};
  std::int8_t sign[2] = {0, 0};  ///< +1 or -1; 0 in the second place: no second term
};

/// Where the function's elements meet.
inline Vec3 place_of(const BasisFunction& f, std::span<const Element> elements) {
  const Element& element = elements[f.element[0]];
  return element.start_m + (f.end[0] * element.length_m) * element.tangent;
}

}  // namespace thinwire
