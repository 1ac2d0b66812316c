#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/large_vector.h"
#include "kernels/base/vec3.h"
#include "kernels/element/element.h"
#include "kernels/grid/grid_class.h"

namespace thinwire {

/// A Gauss point of an element as the grid sees it: what the two shape functions have
/// there, times the rule's weight and TubeMean::on_axis.
struct GridPoint {
  Vec3 position_m;
  double value[2];       ///< weight u_j, m
  double derivative[2];  ///< weight u_j' / k, m
  std::uint32_t element;
};

/// The Gauss points of all elements, those of element e at first[e] .. first[e + 1] - 1.
/// More than `class.points` where the element is longer than a cell: beyond r_c what the
/// points sample has no wave numbers above beta / r_c, about 2 a cell.
struct GridPoints {
  LargeVector<GridPoint> point;
  LargeVector<std::size_t> first;

  GridPoints(std::span<const Element> elements, double k_rad_per_m, double spacing_m,
             const GridClass& grid_class);
  std::span<const GridPoint> of(std::size_t element) const {
    return {point.data() + first[element], point.data() + first[element + 1]};
  }
  std::size_t bytes() const {
    return point.size() * sizeof(GridPoint) + first.size() * sizeof(first[0]);
  }
};

/// How an element is cut and how many Gauss points each piece has: by its length in
/// cells, and in wavelengths.
struct PieceRule {
  int pieces, points;
};
PieceRule grid_piece_rule(double length_m, double k_rad_per_m, double spacing_m,
                          const GridClass& grid_class);

}  // namespace thinwire
