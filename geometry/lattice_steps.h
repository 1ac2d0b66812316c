#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/vec3.h"

namespace thinwire {

/// Points as places of a lattice.
struct LatticeSteps {
  std::vector<Vec3> steps_m;
  std::array<std::size_t, 3> places = {1, 1, 1};
  std::vector<std::uint64_t> place_of;  ///< of each point, as in Lattice
  /// The point that made the lattice too fine, or that lies off it: there is none then.
  std::optional<std::size_t> broken_by;
};

/// The coarsest lattice on which all the points lie, to `within_m`, and the steps among
/// its many with which they span few places: at most `most_places`. Points are different;
/// the first is 0.
LatticeSteps find_steps(std::span<const Vec3> points_m, double within_m,
                        std::size_t most_places);

}  // namespace thinwire
