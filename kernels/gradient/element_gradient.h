#pragma once

#include "kernels/base/complex.h"
#include "kernels/base/vec3.h"
#include "kernels/gradient/form_gradient.h"

namespace thinwire {

/// Derivatives of a complex number by a point in space.
struct Covector {
  HdComplex x, y, z;

  void add(HdComplex s, Vec3 v) {
    x += v.x * s;
    y += v.y * s;
    z += v.z * s;
  }
  void add(double s, const Covector& v) {
    x += s * v.x;
    y += s * v.y;
    z += s * v.z;
  }
  HdComplex along(Vec3 v) const { return v.x * x + v.y * y + v.z * z; }
};

/// Derivatives of a number with respect to an element's ends and radius.
struct ElementGradient {
  Covector start, end;
  HdComplex radius;

  void add(double s, const ElementGradient& g) {
    start.add(s, g.start);
    end.add(s, g.end);
    radius += s * g.radius;
  }
  Complex along(const ElementMotion& m) const {
    return start.along(m.start_m) + end.along(m.end_m) + m.radius_m * radius;
  }
  /// Returns the gradient of the same number as a function of the element's image in z =
  /// 0.
  ElementGradient mirrored() const {
    ElementGradient g = *this;
    g.start.z = -g.start.z;
    g.end.z = -g.end.z;
    return g;
  }
};

struct PairGradient {
  ElementGradient first, second;
};

}  // namespace thinwire
