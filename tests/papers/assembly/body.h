#pragma once

#include <algorithm>
#include <random>

#include "papers/assembly/block_crs.h"

namespace thinwire::testing {

/// A cube whose nodes are moved by up to 0.1 each way, so that no element is a box.
inline HexahedralMesh shaken_cube(std::size_t side) {
  HexahedralMesh mesh = cube_mesh(side);
  std::mt19937_64 generator(8);
  std::uniform_real_distribution<double> moved(-0.1, 0.1);
  for (Vec3& node : mesh.node)
    node = node + Vec3{moved(generator), moved(generator), moved(generator)};
  return mesh;
}

/// The elements in another order, and so no order that rows could rely on.
inline HexahedralMesh shuffled(HexahedralMesh mesh) {
  std::shuffle(mesh.element.begin(), mesh.element.end(), std::mt19937_64(3));
  return mesh;
}

inline const Elasticity steel_like = isotropic(1, 0.3);

inline std::vector<double> zeros(const BlockPattern& pattern) {
  return std::vector<double>(block_values * pattern.blocks());
}

}  // namespace thinwire::testing
