#pragma once

#include <cstddef>

#include "kernels/ground/reflection_places.h"

namespace thinwire {

/// Size of a table of the ground (ground_table.h), predicted without a fit.
struct GroundTableSize {
  std::size_t boxes = 0;  ///< that are fitted
  std::size_t cells = 0;
  std::size_t bytes() const;
};

/// Predicts boxes and bytes for currents above the surface, within a factor of 1.5; small
/// tables less well.
GroundTableSize ground_table_size(Complex eps, const ReflectionPlaces& places);

}  // namespace thinwire
