#pragma once

#include <cmath>

#include "kernels/base/complex.h"
#include "kernels/base/dual.h"
#include "kernels/base/vec3.h"
#include "kernels/ground/plane_wave.h"

namespace thinwire {

/// The surface z = 0 as plane waves meet it: a dielectric, and around the origin, where
/// there is a screen of radial wires, the surface impedance of these in parallel,
///
///   Zs = (j k eta0 d / N) ln(d / (N a)),  d = distance from the origin + N a
///
/// (NEC-2's; Wait 1956 has it for small screens).
struct ReflectingSurface {
  Complex eps;  ///< of the dielectric; infinite values are not taken
  double k_rad_per_m = 0;
  bool conductor = false;  ///< instead of the dielectric
  int radials = 0;
  double screen_radius_m = 0, wire_radius_m = 0;

  /// Where the wave arrives at the angle theta from the vertical, at this distance from
  /// the origin.
  PlaneWaveReflection at(double cos_theta, double from_origin_m) const;

  struct Derivatives {
    PlaneWaveReflection by_cos_theta, by_distance;
  };
  /// Returns the derivatives of at(); on the edge of the screen, where it has a step,
  /// those beyond it.
  Derivatives derivatives(double cos_theta, double from_origin_m) const;

 private:
  bool on_screen(double from_origin_m) const {
    return radials > 0 && from_origin_m < screen_radius_m;
  }
  /// The impedance of the surface over eta0, and its derivative by the distance.
  struct Impedance {
    Complex value, by_distance;
  };
  Impedance impedance(double from_origin_m) const;
};

/// The distance from the origin, along the ground, of the point where a wave from `from`
/// to `to` (z >= 0) is reflected.
template <class Real>
Real specular_distance(const BasicVec3<Real>& from_m, const BasicVec3<Real>& to_m) {
  const Real sum = from_m.z + to_m.z;
  // Along the ground.
  if (!(sum > 0)) return sqrt(to_m.x * to_m.x + to_m.y * to_m.y);
  const Real x = (from_m.x * to_m.z + to_m.x * from_m.z) / sum,
             y = (from_m.y * to_m.z + to_m.y * from_m.z) / sum;
  return sqrt(x * x + y * y);
}

}  // namespace thinwire
