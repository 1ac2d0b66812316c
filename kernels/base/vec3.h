#pragma once

#include <cmath>

#include "kernels/base/host_device.h"

namespace thinwire {

/// A point or a direction in space; metres where it is a position.
struct Vec3 {
  double x = 0, y = 0, z = 0;
};

THINWIRE_HD inline Vec3 operator+(Vec3 a, Vec3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
THINWIRE_HD inline Vec3 operator-(Vec3 a, Vec3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
THINWIRE_HD inline Vec3 operator*(double s, Vec3 a) {
  return {s * a.x, s * a.y, s * a.z};
}
THINWIRE_HD inline Vec3 operator-(Vec3 a) {
  return {-a.x, -a.y, -a.z};
}
THINWIRE_HD inline bool operator==(Vec3 a, Vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}
THINWIRE_HD inline double dot(Vec3 a, Vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
THINWIRE_HD inline Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
THINWIRE_HD inline double norm(Vec3 a) {
  return std::sqrt(dot(a, a));
}

}  // namespace thinwire
