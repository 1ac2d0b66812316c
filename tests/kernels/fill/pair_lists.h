#pragma once

#include <span>

#include "kernels/element/close_pairs.h"

namespace thinwire::testing {

/// Pairs of elements whose axes come within a distance.
inline ElementPairs pairs_within(std::span<const Element> elements, double distance_m) {
  ElementPairs pairs;
  pairs.row.push_back(0);
  for (std::uint32_t p = 0; p < elements.size(); ++p) {
    for (std::uint32_t q = 0; q <= p; ++q)
      if (p == q || axis_distance(elements[p], elements[q]) < distance_m)
        pairs.second.push_back(q);
    pairs.row.push_back(pairs.second.size());
  }
  return pairs;
}

}  // namespace thinwire::testing
