#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "kernels/base/large_vector.h"
#include "kernels/base/vec3.h"

namespace thinwire {

/// Points as places of a lattice.
struct LatticeSteps {
  std::vector<Vec3> steps_m;
  std::array<std::size_t, 3> places = {1, 1, 1};
  LargeVector<std::uint64_t> place_of;  ///< of each point, as in Lattice
};

/// Why points have no lattice.
struct NoLattice {
  /// The point off the places of the others, or without which these are few enough; the
  /// first of several, as far as that can be determined. 0 where places are too many
  /// anyway.
  std::size_t broken_by = 0;
  /// From the place that the others give it, as far as that is known; 0 where places are
  /// too many.
  double off_m = 0;
  /// Number of places in the bounding box; infinite where there are more than can be
  /// counted.
  double place_count = 0;
};

/// The coarsest lattice on which all the points lie, to `within_m`, and the steps among
/// its many with which they span few places: at most `max_places`. Points are different;
/// the first is 0.
std::variant<LatticeSteps, NoLattice> find_steps(std::span<const Vec3> points_m,
                                                 double within_m, std::size_t max_places);

}  // namespace thinwire
