#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/element/element.h"

namespace thinwire {

/// Straight wires of equal elements: what a ground reflects between two of their elements
/// depends on few numbers, and pairs that agree in them lie alike.

/// Equal, over an element's length.
inline constexpr double alike_hair = 1e-12;

/// For every element the first one of its run: elements one behind the other in the
/// list, equal and in line to alike_hair of their length and to rounding of their place.
std::vector<std::uint32_t> straight_runs(std::span<const Element> elements);

/// Whether pairs of an element of the run of p and one of the run of q depend on the
/// difference of their numbers (-1) or on the sum (1) alone, or on both (0). Horizontal
/// runs are displaced along the ground together; of vertical ones only the sum of heights
/// counts.
THINWIRE_HD inline int alike_step(const Element& p, const Element& q) {
  constexpr double hair2 = alike_hair * alike_hair;
  if (std::fabs(p.length_m - q.length_m) > alike_hair * p.length_m) return 0;
  const Vec3 apart = p.tangent - q.tangent, sum = p.tangent + q.tangent;
  const bool parallel = dot(apart, apart) < hair2, opposed = dot(sum, sum) < hair2;
  if (!parallel && !opposed) return 0;
  if (std::fabs(p.tangent.z) < alike_hair) return parallel ? -1 : 1;
  if (p.tangent.x * p.tangent.x + p.tangent.y * p.tangent.y < hair2)
    return parallel ? 1 : -1;
  return 0;
}

}  // namespace thinwire
