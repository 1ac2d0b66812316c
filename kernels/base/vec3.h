#pragma once

#include <cmath>

#include "kernels/base/dual.h"

namespace thinwire {

/// A point or a direction in space; metres where it is a position. Real: double or Dual.
template <class Real>
struct BasicVec3 {
  Real x{}, y{}, z{};

  friend THINWIRE_HD BasicVec3 operator+(BasicVec3 a, BasicVec3 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend THINWIRE_HD BasicVec3 operator-(BasicVec3 a, BasicVec3 b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend THINWIRE_HD BasicVec3 operator*(Real s, BasicVec3 a) {
    return {s * a.x, s * a.y, s * a.z};
  }
  friend THINWIRE_HD BasicVec3 operator-(BasicVec3 a) { return {-a.x, -a.y, -a.z}; }
  friend THINWIRE_HD bool operator==(BasicVec3 a, BasicVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  }
  friend THINWIRE_HD Real dot(BasicVec3 a, BasicVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
  }
  friend THINWIRE_HD BasicVec3 cross(BasicVec3 a, BasicVec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  friend THINWIRE_HD Real norm(BasicVec3 a) { return sqrt(dot(a, a)); }
  friend THINWIRE_HD BasicVec3<double> value_of(const BasicVec3& a) {
    return {value_of(a.x), value_of(a.y), value_of(a.z)};
  }
};

using Vec3 = BasicVec3<double>;

}  // namespace thinwire
