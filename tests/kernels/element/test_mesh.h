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

/// Returns a mesh with all features: a junction of three with other radii, a bend, ends
/// graded down to the radius, close parallel wires, a wire that crosses another at a
/// small distance, and a foot on the ground.
inline TestMesh every_feature() {
  TestMesh mesh;
  // A stem on the ground with two arms of other radii.
  const std::uint32_t stem = mesh.add_wire(straight({0, 0, 0}, {0, 0, 0.3}, 9), 0.004);
  mesh.basis.push_back({{stem, 0}, {0, 0}, {-1, 0}});
  const std::uint32_t left =
      mesh.add_wire(straight({0, 0, 0.3}, {-0.2, 0.05, 0.4}, 7), 0.002);
  const std::uint32_t right =
      mesh.add_wire(straight({0, 0, 0.3}, {0.25, 0, 0.3}, 8), 0.003);
  mesh.join(stem + 8, left);
  mesh.basis.push_back({{left, right}, {0, 0}, {-1, 1}});
  // A bent wire, ends graded.
  std::vector<Vec3> nodes = {{0.3, 0.3, 0.1}};
  for (const double x : {0.001, 0.003, 0.007, 0.015, 0.031, 0.06, 0.1, 0.15, 0.2})
    nodes.push_back({0.3 + x, 0.3, 0.1});
  for (const double z : {0.13, 0.17, 0.22, 0.28, 0.33, 0.36, 0.375, 0.382})
    nodes.push_back({0.5, 0.3, z});
  mesh.add_wire(nodes, 0.002);
  // Parallel and near, and skew and near.
  mesh.add_wire(straight({0.3, 0.308, 0.1}, {0.52, 0.308, 0.1}, 9), 0.001);
  mesh.add_wire(straight({0.35, 0.2, 0.106}, {0.42, 0.4, 0.112}, 12), 0.001);
  // Enough more that tiles meet.
  for (int i = 0; i < 5; ++i) {
    const double x = 1 + 0.31 * i;
    mesh.add_wire(straight({x, 0.2 * i, 0.2}, {x + 0.1, 0.2 * i + 0.3, 0.5}, 20), 0.001);
  }
  return mesh;
}

}  // namespace thinwire::testing
