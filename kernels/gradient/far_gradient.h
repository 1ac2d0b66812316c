#pragma once

#include <cstddef>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/gradient/form_gradient.h"

namespace thinwire {

/// A complex vector in space.
struct ComplexVec3 {
  HdComplex x, y, z;

  void add(HdComplex s, Vec3 v) {
    x += v.x * s;
    y += v.y * s;
    z += v.z * s;
  }
  HdComplex along(Vec3 v) const { return v.x * x + v.y * y + v.z * z; }
};

/// Derivatives of a number with respect to an element's ends and radius.
struct ElementGradient {
  ComplexVec3 start, end;
  HdComplex radius;

  Complex along(const ElementMotion& m) const {
    return start.along(m.start_m) + end.along(m.end_m) + m.radius_m * radius;
  }
};

struct PairGradient {
  ElementGradient first, second;
};

/// The currents of an ImpedanceForm at the Gauss points of its elements, and what far
/// pairs add to its gradient.
class FarCurrents {
 public:
  explicit FarCurrents(const ImpedanceForm& form);

  /// An element or its image, and whose currents it carries.
  struct Carrier {
    const Element& element;
    std::size_t currents;
  };

  /// Derivatives of sum_ab (I_a J_b + J_a I_b) z_ab of two elements that are far apart
  /// (quadrature_order.h), `order` Gauss points on each; a goes over the shape functions
  /// of the first, b over those of the second.
  PairGradient gradient(Carrier first, Carrier second, int order, bool series) const;

 private:
  static constexpr int most_points = 6;
  /// At a Gauss point and times its weight: current, A m, and charge, I'/k, A m; and the
  /// derivatives of both as the element grows and the point keeps its place in it.
  struct Point {
    HdComplex current, charge, current_slope, charge_slope;
  };
  struct Points {
    Point i[most_points], j[most_points];
  };
  const Points& points_of(std::size_t element, int order) const {
    return points_[rule_of(order)][element];
  }
  static int rule_of(int order);

  const ImpedanceForm& form_;
  std::vector<Points> points_[4];  // of the rules of far_order
};

}  // namespace thinwire
