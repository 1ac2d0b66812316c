#include "papers/assembly/hexahedral_mesh.h"

#include "kernels/base/grouping.h"

namespace thinwire {

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

NodeElements node_elements(const HexahedralMesh& mesh) {
  Groups groups =
      group(mesh.elements(), mesh.nodes(), [&](std::size_t element, const auto& put) {
        for (std::size_t c = 0; c < 8; ++c)
          put(mesh.element[element][c], static_cast<std::uint32_t>(8 * element + c));
      });
  return {{groups.first.begin(), groups.first.end()}, std::move(groups.member)};
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
  Groups groups = group(elements, size.size(), [&](std::size_t e, const auto& put) {
    put(colour[e], static_cast<std::uint32_t>(e));
  });
  return {std::move(groups.member), {groups.first.begin(), groups.first.end()}};
}

}  // namespace thinwire
