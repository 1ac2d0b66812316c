#include "kernels/ground/reflecting_surface.h"

#include <cmath>

namespace thinwire {

ReflectingSurface::Impedance ReflectingSurface::impedance(double from_origin_m) const {
  const Complex index = std::sqrt(eps);
  if (!on_screen(from_origin_m)) return {1.0 / index, 0};
  const double wires_m = radials * wire_radius_m, d = from_origin_m + wires_m;
  const Complex unit(0, k_rad_per_m / radials);
  const Complex screen = unit * d * std::log(d / wires_m);
  // The ground's 1 / sqrt(eps) beside that of the screen.
  const Complex over = 1.0 / (screen * index + 1.0);
  return {screen * over, unit * (std::log(d / wires_m) + 1) * over * over};
}

PlaneWaveReflection ReflectingSurface::at(double cos_theta, double from_origin_m) const {
  if (conductor) return {1, -1};
  if (!on_screen(from_origin_m)) return plane_wave_reflection(eps, cos_theta);
  const Complex z = impedance(from_origin_m).value;
  const Complex below = std::sqrt(1.0 - z * z * (1 - cos_theta * cos_theta));
  return {(cos_theta - z * below) / (cos_theta + z * below),
          (z * cos_theta - below) / (z * cos_theta + below)};
}

ReflectingSurface::Derivatives ReflectingSurface::derivatives(
    double cos_theta, double from_origin_m) const {
  if (conductor) return {};
  const auto [z, z_by_distance] = impedance(from_origin_m);
  const double sine2 = 1 - cos_theta * cos_theta;
  const Complex below = std::sqrt(1.0 - z * z * sine2), tm = cos_theta + z * below,
                te = z * cos_theta + below;
  const Complex by_cosine = 2.0 * z * (1.0 - z * z) / below,
                by_z = 2 * cos_theta / below * z_by_distance;
  return {{by_cosine / (tm * tm), by_cosine / (te * te)},
          {-by_z * (1.0 - 2.0 * z * z * sine2) / (tm * tm), by_z / (te * te)}};
}

}  // namespace thinwire
