#pragma once

#include <cmath>
#include <complex>

#include "kernels/base/complex.h"

namespace thinwire {

/// How a half space of relative permittivity eps reflects a plane wave that leaves it at
/// the angle theta from the vertical (Fresnel): what E_theta and E_phi that a source
/// sends to theta' = pi - theta are multiplied with to be those of the reflected wave. A
/// perfect conductor has 1 and -1.
struct PlaneWaveReflection {
  Complex theta, phi;
};

inline PlaneWaveReflection plane_wave_reflection(Complex eps, double cos_theta) {
  // Below, the component along z of the wave vector over k; its wave dies away downward.
  const Complex below = std::sqrt(eps - (1 - cos_theta * cos_theta));
  const Complex tm = eps * cos_theta, sum = cos_theta + below;
  return {(tm - below) / (tm + below), (1.0 - eps) / (sum * sum)};
}

}  // namespace thinwire
