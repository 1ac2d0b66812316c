#pragma once

#include <cstddef>
#include <vector>

#include "kernels/element/element.h"
#include "kernels/element/shape_point.h"
#include "kernels/fill/tile_side.h"

namespace thinwire {

/// Element matrices of one element against all lanes of a TileSide, ohm: entry z[i][j] of
/// lane l is at [i][j * lanes + l].
struct LaneMatrices {
  std::vector<double> re[2], im[2];
  void reset(std::size_t lanes) {
    for (auto* part : {&re[0], &re[1], &im[0], &im[1]}) part->assign(2 * lanes, 0.0);
  }
};

/// How a far pair is integrated: Gauss points on each element, and the Green's function.
struct FarRuleChoice {
  int order;    ///< 2, 3, 4 or 6
  bool series;  ///< tube_series instead of far_greens
  bool operator==(const FarRuleChoice&) const = default;
};

/// An element and where its shape values are: on lane `lane` of a side.
struct SideElement {
  Element element;
  const TileSide* side = nullptr;  ///< nullptr: they are computed
  std::size_t lane = 0;

  ShapeValues shape(const GaussRule& rule, int order, int b, double k_rad_per_m) const {
    return side ? side->shape(order, b, lane)
                : shape_values(element.length_m, rule.node[b], rule.weight[b],
                               k_rad_per_m);
  }
};

/// Adds scale times the element matrices of p with lanes first .. last - 1 (multiples of
/// TileSide::lane_group) by the product of two Gauss rules; quadrature_order.h says how
/// far apart the elements must be.
void add_far_lanes(FarRuleChoice rule, const SideElement& p, const TileSide& q,
                   std::size_t first, std::size_t last, double k_rad_per_m,
                   GreensKernel kernel, double scale, LaneMatrices& out);

}  // namespace thinwire
