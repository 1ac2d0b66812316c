#pragma once

#include "kernels/base/quadrature.h"
#include "kernels/base/sincos.h"
#include "kernels/element/element.h"

namespace thinwire {

/// The shape functions of an element, u_0 = sin k(L - s) / sin kL and u_1 = sin ks / sin
/// kL, at a Gauss point, times the rule's weight.
struct ShapeValues {
  double value[2];       ///< weight u_j, m
  double derivative[2];  ///< weight u_j' / k, m
};

/// Returns the shape values of an element of that length; without branches or calls.
THINWIRE_HD THINWIRE_INLINE ShapeValues shape_values(double length_m, double node,
                                                     double weight, double k) {
  const double s = 0.5 * length_m * (1 + node);
  double sine[3], cosine[3];
  sincos_simd(k * length_m, sine[0], cosine[0]);
  sincos_simd(k * (length_m - s), sine[1], cosine[1]);
  sincos_simd(k * s, sine[2], cosine[2]);
  const double scale = 0.5 * length_m * weight / sine[0];
  return {{scale * sine[1], scale * sine[2]}, {-scale * cosine[1], scale * cosine[2]}};
}

/// A Gauss point on an element.
struct ShapePoint : ShapeValues {
  Vec3 position_m;
};

/// Point `b` of `rule` on an element.
THINWIRE_HD inline ShapePoint shape_point(const Element& e, GaussRule rule, int b,
                                          double k) {
  const double s = 0.5 * e.length_m * (1 + rule.node[b]);
  return {shape_values(e.length_m, rule.node[b], rule.weight[b], k),
          e.start_m + s * e.tangent};
}

}  // namespace thinwire
