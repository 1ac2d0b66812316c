#pragma once

#include <span>
#include <vector>

#include "kernels/element/element.h"
#include "kernels/ground/half_space.h"
#include "mom/problem/ground.h"

namespace thinwire {

/// Elements on one side of a ground's surface, and their currents.
struct SideCurrents {
  std::vector<Element> elements;
  std::vector<Complex> end_current_a;  ///< [2 elements], at the start and the end
};

inline SideCurrents currents_on(GroundSide side, std::span<const Element> elements,
                                std::span<const Complex> end_current_a) {
  SideCurrents found;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (is_below(elements[e]) != (side == GroundSide::below)) continue;
    found.elements.push_back(elements[e]);
    found.end_current_a.push_back(end_current_a[2 * e]);
    found.end_current_a.push_back(end_current_a[2 * e + 1]);
  }
  return found;
}

}  // namespace thinwire
