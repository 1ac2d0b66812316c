#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "geometry/structure.h"
#include "kernels/base/constants.h"

namespace thinwire::test {

/// Wire grids of cells of one size, lengths in metres, radius cell / 2 pi; segment 0 is
/// the foot of a whip that is to be fed.
class WireGrid {
 public:
  explicit WireGrid(double cell_m) : cell_m_(cell_m) {}

  /// From node to node, a segment for each cell. Nodes are counted in cells.
  using Node = std::array<int, 3>;
  void add_whip(Node foot, double length_m, int segments, double radius_m) {
    Vec3 top = place(foot);
    top.z += length_m;
    structure.add_wire(++tag_, segments, place(foot), top, radius_m);
  }
  void add_rectangle(Node corner, int first_axis, int first_cells, int second_axis,
                     int second_cells) {
    add_lines(corner, first_axis, first_cells, second_axis, second_cells);
    add_lines(corner, second_axis, second_cells, first_axis, first_cells);
  }
  /// A closed one, or without the face below.
  void add_box(Node corner, Node cells, bool with_floor) {
    const auto shifted = [&](int axis) {
      Node node = corner;
      node[axis] += cells[axis];
      return node;
    };
    if (with_floor) add_rectangle(corner, 0, cells[0], 1, cells[1]);
    add_rectangle(shifted(2), 0, cells[0], 1, cells[1]);
    add_rectangle(corner, 0, cells[0], 2, cells[2]);
    add_rectangle(shifted(1), 0, cells[0], 2, cells[2]);
    add_rectangle(corner, 1, cells[1], 2, cells[2]);
    add_rectangle(shifted(0), 1, cells[1], 2, cells[2]);
  }
  Vec3 place(Node node) const {
    return {node[0] * cell_m_, node[1] * cell_m_, node[2] * cell_m_};
  }
  double radius_m() const { return cell_m_ / (2 * pi); }

  Structure structure;

 private:
  /// Lines along one axis, side by side along the other; edges that are there already are
  /// left out.
  void add_lines(Node corner, int along, int cells, int beside, int lines) {
    for (int line = 0; line <= lines; ++line) {
      Node from = corner;
      from[beside] += line;
      for (int i = 0; i < cells; ++i) {
        Node to = from;
        ++to[along];
        if (edges_.insert({from, to}).second)
          structure.add_wire(++tag_, 1, place(from), place(to), radius_m());
        from = to;
      }
    }
  }

  double cell_m_;
  int tag_ = 0;
  std::set<std::pair<Node, Node>> edges_;
};

/// `cells` x `cells` in the xy plane, a quarter-wave whip in its middle; the wavelength
/// is 1 m.
inline Structure plate(int cells, double cell_m) {
  WireGrid grid(cell_m);
  const int whip_segments =
      std::max(5, static_cast<int>(std::nearbyint(0.25 / std::max(cell_m, 0.02))));
  grid.add_whip({cells / 2, cells / 2, 0}, 0.25, whip_segments,
                std::min(grid.radius_m(), 0.003));
  grid.add_rectangle({0, 0, 0}, 0, cells, 1, cells);
  return std::move(grid.structure);
}

/// A closed hull with a closed superstructure, a mast and a whip.
inline Structure ship(int length, int beam, int height, double cell_m) {
  WireGrid grid(cell_m);
  const double whip_m = 0.25;
  grid.add_whip({length / 4, beam / 2, height}, whip_m, 6,
                std::min(grid.radius_m() / 2, 0.003));
  grid.add_box({0, 0, 0}, {length, beam, height}, true);
  const int upper_length = std::max(2, length / 3), upper_beam = std::max(2, beam - 2),
            upper_height = std::max(2, height / 2);
  const int x = length / 2, y = (beam - upper_beam) / 2;
  grid.add_box({x, y, height}, {upper_length, upper_beam, upper_height}, false);
  const double mast_m = std::max(0.3, 0.3 * height * cell_m);
  const Vec3 foot =
      grid.place({x + upper_length / 2, y + upper_beam / 2, height + upper_height});
  grid.structure.add_wire(
      100000, std::max(2, static_cast<int>(std::ceil(mast_m / std::max(cell_m, 0.05)))),
      foot, {foot.x, foot.y, foot.z + mast_m}, grid.radius_m());
  return std::move(grid.structure);
}

/// A sphere around the origin: the surface of a cube of `cells` along each edge, brought
/// to the sphere in equal angles. Each wire has the surface of the cells beside it, once
/// for each of both directions (Ludwig 1987).
inline Structure sphere(double radius_m, int cells) {
  using Node = WireGrid::Node;
  const auto direction = [&](const Node& node) {
    const auto at = [&](int i) { return std::tan(0.25 * pi * (2.0 * i / cells - 1)); };
    const Vec3 p{at(node[0]), at(node[1]), at(node[2])};
    return (1 / norm(p)) * p;
  };
  std::map<std::pair<Node, Node>, double> beside;  // edges: surface of the cells there
  for (int normal = 0; normal < 3; ++normal)
    for (const int level : {0, cells})
      for (int i = 0; i < cells; ++i)
        for (int j = 0; j < cells; ++j) {
          const auto corner = [&](int first, int second) {
            Node node{};
            node[normal] = level;
            node[(normal + 1) % 3] = i + first;
            node[(normal + 2) % 3] = j + second;
            return node;
          };
          const Node all[] = {corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)};
          const double area = 0.5 * norm(cross(direction(all[2]) - direction(all[0]),
                                               direction(all[3]) - direction(all[1])));
          for (int e = 0; e < 4; ++e)
            beside[std::minmax(all[e], all[(e + 1) % 4])] += area;
        }
  Structure structure;
  int tag = 0;
  for (const auto& [edge, area] : beside) {
    const Vec3 from = direction(edge.first), to = direction(edge.second);
    structure.add_wire(++tag, 1, radius_m * from, radius_m * to,
                       radius_m * area / (4 * pi * norm(to - from)));
  }
  return structure;
}

}  // namespace thinwire::test
