#pragma once

#include <cmath>

#include "kernels/base/quadrature.h"
#include "kernels/element/element.h"

namespace thinwire {

/// A Gauss point on an element, with the two shape functions there times the rule's
/// weight.
struct ShapePoint {
  Vec3 position_m;
  double value[2];       ///< weight u_j, m
  double derivative[2];  ///< weight u_j' / k, m
};

/// Point `b` of `rule` on an element, u_0 = sin k(L - s) / sin kL and u_1 = sin ks / sin
/// kL.
THINWIRE_HD inline ShapePoint shape_point(const Element& e, GaussRule rule, int b,
                                          double k) {
  const double s = 0.5 * e.length_m * (1 + rule.node[b]);
  const double weight = 0.5 * e.length_m * rule.weight[b] / std::sin(k * e.length_m);
  return {e.start_m + s * e.tangent,
          {weight * std::sin(k * (e.length_m - s)), weight * std::sin(k * s)},
          {-weight * std::cos(k * (e.length_m - s)), weight * std::cos(k * s)}};
}

}  // namespace thinwire
