#pragma once

#include "kernels/base/complex.h"
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
};

/// The distance from the origin, along the ground, of the point where a wave from `from`
/// to `to` (z >= 0) is reflected.
double specular_distance(Vec3 from_m, Vec3 to_m);

}  // namespace thinwire
