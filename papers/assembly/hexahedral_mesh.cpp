#include "papers/assembly/hexahedral_mesh.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

std::string named(std::size_t element) {
  return "element " + std::to_string(element + 1);
}

bool inverted(const HexahedralMesh& mesh, std::size_t element) {
  double x[8], y[8], z[8];
  for (std::size_t c = 0; c < 8; ++c) {
    const Vec3 corner = mesh.node[mesh.element[element][c]];
    x[c] = corner.x;
    y[c] = corner.y;
    z[c] = corner.z;
  }
  for (unsigned point = 0; point < 8; ++point) {
    const Vec3 dx = local_derivatives(x, point);
    if (!(dot(dx, cross(local_derivatives(y, point), local_derivatives(z, point))) > 0))
      return true;
  }
  return false;
}

}  // namespace

HexahedralMesh cube_mesh(std::size_t side) {
  HexahedralMesh mesh;
  const std::size_t nodes = side + 1;
  mesh.node.reserve(nodes * nodes * nodes);
  for (std::size_t z = 0; z < nodes; ++z)
    for (std::size_t y = 0; y < nodes; ++y)
      for (std::size_t x = 0; x < nodes; ++x)
        mesh.node.push_back(
            {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
  mesh.element.reserve(side * side * side);
  for (std::size_t z = 0; z < side; ++z)
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x) {
        std::array<std::uint32_t, 8>& corners = mesh.element.emplace_back();
        for (std::size_t c = 0; c < 8; ++c)
          corners[c] = static_cast<std::uint32_t>(
              ((z + (c >> 2)) * nodes + y + (c >> 1 & 1)) * nodes + x + (c & 1));
      }
  return mesh;
}

ElasticBody elastic_cube(std::size_t side) {
  return {cube_mesh(side), isotropic(1, 0.3)};
}

std::vector<char> held_at_bottom(const HexahedralMesh& mesh) {
  std::vector<char> held;
  held.reserve(mesh.nodes());
  for (const Vec3 node : mesh.node) held.push_back(node.z == 0);
  return held;
}

std::vector<Vec3> pull_on_top(const HexahedralMesh& mesh, double top) {
  std::vector<Vec3> force(mesh.nodes());
  for (const auto& corners : mesh.element) {
    const auto at = [&](std::size_t c) { return mesh.node[corners[c]]; };
    if (at(4).z != top || at(5).z != top || at(6).z != top || at(7).z != top) continue;
    // Half the product of the diagonals is the area of any flat quadrangle; a quarter for
    // each corner is exact for parallelograms.
    const double area = 0.5 * norm(cross(at(7) - at(4), at(6) - at(5)));
    for (std::size_t c = 4; c < 8; ++c) force[corners[c]].z += 0.25 * area;
  }
  return force;
}

void check(const HexahedralMesh& mesh) {
  for (std::size_t element = 0; element < mesh.elements(); ++element)
    for (const std::uint32_t node : mesh.element[element])
      if (node >= mesh.nodes())
        throw Error(ErrorKind::geometry,
                    named(element) + ": no node " + std::to_string(node + 1) + " (" +
                        std::to_string(mesh.nodes()) + " nodes). Correct its corners.");
  std::atomic<std::size_t> first = mesh.elements();
#pragma omp parallel for
  for (std::size_t element = 0; element < mesh.elements(); ++element)
    if (inverted(mesh, element)) {
      std::size_t known = first;
      while (element < known && !first.compare_exchange_weak(known, element)) {
      }
    }
  if (first < mesh.elements())
    throw Error(ErrorKind::geometry,
                named(first) +
                    ": inverted or flat (its Jacobian is not positive at all "
                    "Gauss points). Reorder its corners, or mend the mesh.");
}

NodeElements node_elements(const HexahedralMesh& mesh) {
  NodeElements at_node;
  at_node.first.assign(mesh.nodes() + 1, 0);
  for (const auto& corners : mesh.element)
    for (const std::uint32_t node : corners) ++at_node.first[node + 1];
  std::partial_sum(at_node.first.begin(), at_node.first.end(), at_node.first.begin());
  at_node.place.resize(8 * mesh.elements());
  std::vector<std::int64_t> next(at_node.first.begin(), at_node.first.end() - 1);
  std::uint32_t place = 0;
  for (const auto& corners : mesh.element)
    for (const std::uint32_t node : corners) at_node.place[next[node]++] = place++;
  return at_node;
}

Colouring colour_elements(const HexahedralMesh& mesh, const NodeElements& at_node,
                          std::size_t colours) {
  const std::size_t elements = mesh.elements(), most = (elements + colours - 1) / colours;
  constexpr std::uint32_t none = 0xffffffff;
  std::vector<std::uint32_t> colour(elements, none);
  std::vector<std::size_t> size;   // of each colour
  std::vector<std::size_t> taken;  // [colour] by a neighbour of this element, + 1
  std::size_t first_with_room = 0;
  for (std::size_t element = 0; element < elements; ++element) {
    for (const std::uint32_t node : mesh.element[element])
      for (std::int64_t k = at_node.first[node]; k < at_node.first[node + 1]; ++k) {
        const std::uint32_t c = colour[at_node.place[k] / 8];
        if (c != none) taken[c] = element + 1;
      }
    std::size_t c = first_with_room;
    while (c < size.size() && (size[c] == most || taken[c] == element + 1)) ++c;
    if (c == size.size()) {
      size.push_back(0);
      taken.push_back(0);
    }
    colour[element] = static_cast<std::uint32_t>(c);
    ++size[c];
    while (first_with_room < size.size() && size[first_with_room] == most)
      ++first_with_room;
  }
  Colouring result;
  result.first.assign(size.size() + 1, 0);
  std::partial_sum(size.begin(), size.end(), result.first.begin() + 1);
  result.element.resize(elements);
  std::vector<std::size_t> next(result.first.begin(), result.first.end() - 1);
  for (std::size_t element = 0; element < elements; ++element)
    result.element[next[colour[element]]++] = static_cast<std::uint32_t>(element);
  return result;
}

}  // namespace thinwire
