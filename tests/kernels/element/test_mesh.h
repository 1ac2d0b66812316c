#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/vec3.h"
#include "kernels/element/basis_function.h"
#include "kernels/element/element.h"

namespace thinwire::testing {

/// Elements and functions without a mesher: wires given by their nodes.
struct TestMesh {
  std::vector<Element> elements;
  std::vector<BasisFunction> basis;

  std::uint32_t add_element(Vec3 from, Vec3 to, double radius_m) {
    const Vec3 along = to - from;
    const double length = norm(along);
    elements.push_back({from, (1 / length) * along, length, radius_m});
    return static_cast<std::uint32_t>(elements.size() - 1);
  }
  /// A function through the joint from the end of one element to the start of another.
  void join(std::uint32_t before, std::uint32_t after) {
    basis.push_back({{before, after}, {1, 0}, {1, 1}});
  }
  /// A wire through the nodes; returns its first element.
  std::uint32_t add_wire(const std::vector<Vec3>& nodes, double radius_m) {
    const auto first = static_cast<std::uint32_t>(elements.size());
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
      const std::uint32_t e = add_element(nodes[i], nodes[i + 1], radius_m);
      if (i > 0) join(e - 1, e);
    }
    return first;
  }
};

inline std::vector<Vec3> straight(Vec3 from, Vec3 to, int elements) {
  std::vector<Vec3> nodes;
  for (int i = 0; i <= elements; ++i)
    nodes.push_back(from + (static_cast<double>(i) / elements) * (to - from));
  return nodes;
}

/// Half-wave dipoles on a square grid, wavelength 1 m: distances are round numbers times
/// the element length, where an order of quadrature could go either way.
inline TestMesh dipole_array(int nx, int ny, int segments) {
  TestMesh mesh;
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      mesh.add_wire(straight({0.5 * i, 0.5 * j, 0.1}, {0.5 * i, 0.5 * j, 0.6}, segments),
                    0.001);
  return mesh;
}

}  // namespace thinwire::testing
