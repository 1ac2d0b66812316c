#pragma once

#include "kernels/base/complex.h"

namespace thinwire {

/// How a half space of relative permittivity eps reflects a plane wave that leaves it at
/// the angle theta from the vertical (Fresnel): what E_theta and E_phi that a source
/// sends to theta' = pi - theta are multiplied with to be those of the reflected wave. A
/// perfect conductor has 1 and -1.
template <class Number>
struct BasicPlaneWaveReflection {
  Number theta, phi;
};
using PlaneWaveReflection = BasicPlaneWaveReflection<Complex>;

THINWIRE_HD inline BasicPlaneWaveReflection<HdComplex> hd_plane_wave_reflection(
    HdComplex eps, double cos_theta) {
  const HdComplex c = {cos_theta}, one = {1};
  // Below, the component along z of the wave vector over k; its wave dies away downward.
  const HdComplex below = square_root(eps - one + c * c);
  const HdComplex tm = c * eps, sum = c + below;
  return {(tm - below) / (tm + below), (one - eps) / (sum * sum)};
}

inline PlaneWaveReflection plane_wave_reflection(Complex eps, double cos_theta) {
  const auto of = hd_plane_wave_reflection(to_hd(eps), cos_theta);
  return {of.theta, of.phi};
}

}  // namespace thinwire
