#include "kernels/ground/reflecting_surface.h"

#include <cmath>

namespace thinwire {

PlaneWaveReflection ReflectingSurface::at(double cos_theta, double from_origin_m) const {
  const bool on_screen = radials > 0 && from_origin_m < screen_radius_m;
  if (conductor) return {1, -1};
  if (!on_screen) return plane_wave_reflection(eps, cos_theta);
  const double wires_m = radials * wire_radius_m, d = from_origin_m + wires_m;
  const Complex screen(0, k_rad_per_m * d / radials * std::log(d / wires_m));
  // Over eta0: the ground's 1 / sqrt(eps) beside that of the screen.
  const Complex impedance = screen / (screen * std::sqrt(eps) + 1.0);
  const Complex below =
      std::sqrt(1.0 - impedance * impedance * (1 - cos_theta * cos_theta));
  return {(cos_theta - impedance * below) / (cos_theta + impedance * below),
          (impedance * cos_theta - below) / (impedance * cos_theta + below)};
}

double specular_distance(Vec3 from_m, Vec3 to_m) {
  const double sum = from_m.z + to_m.z;
  if (!(sum > 0)) return std::hypot(to_m.x, to_m.y);  // along the ground
  return std::hypot((from_m.x * to_m.z + to_m.x * from_m.z) / sum,
                    (from_m.y * to_m.z + to_m.y * from_m.z) / sum);
}

}  // namespace thinwire
