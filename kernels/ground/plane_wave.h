#pragma once

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
  const HdComplex e = to_hd(eps), c = {cos_theta}, one = {1};
  // Below, the component along z of the wave vector over k; its wave dies away downward.
  const HdComplex below = square_root(e - one + c * c);
  const HdComplex tm = c * e, sum = c + below;
  return {(tm - below) / (tm + below), (one - e) / (sum * sum)};
}

}  // namespace thinwire
