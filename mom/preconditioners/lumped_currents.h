#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/base/vec3.h"
#include "mom/discretization/discretization.h"
#include "mom/preconditioners/coarse_space.h"

namespace thinwire {

/// Currents and charges of the coarse functions at the nodes of a lattice.
struct LumpedCurrents {
  /// x, y, z: current times length, A m; then the charge's -jw q / k, A m.
  using Moment = std::array<double, 4>;
  struct Lump {
    std::uint32_t function;
    Moment moment;
  };
  std::vector<Vec3> node_m;          ///< by cubes of some nodes
  std::vector<std::uint64_t> first;  ///< [nodes + 1] into lump
  std::vector<Lump> lump;            ///< node by node
};

LumpedCurrents lumped_currents(const Discretization& where, const CoarseSpace& space,
                               double spacing_m, double k_rad_per_m);

}  // namespace thinwire
