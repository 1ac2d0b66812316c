#pragma once

#include "kernels/ground/reflection_spectra.h"
#include "kernels/ground/spectral_path.h"

namespace thinwire {

/// Factors of e^{-u1 z - u2 depth} J at one point of the path, its weight included: Gh,
/// Kphi and Kzz with J0, Q with J1.
struct WeightedSpectra {
  HdComplex u1, u2;
  HdComplex value[4];
};

/// Returns the spectra of the reflection above the surface (half_space.h).
THINWIRE_HD inline WeightedSpectra reflected_spectra(HdComplex eps,
                                                     const PathPointOf<HdComplex>& at) {
  const auto [rh, p, phi] = reflection_spectra(eps, at.u1, at.u2);
  const HdComplex weight = at.weight * at.kr / at.u1;
  return {at.u1,
          at.u2,
          {weight * rh, weight * phi, weight * (rh - 2.0 * phi - p),
           at.weight * (at.kr * at.kr) * p}};
}

/// The vertical wave numbers of both sides: u1 + u2, u1 - u2 and eps u1 + u2.
struct VerticalWaves {
  HdComplex sum, difference, weighted;

  THINWIRE_HD VerticalWaves(HdComplex eps, const PathPointOf<HdComplex>& at)
      : sum(at.u1 + at.u2),
        difference((eps - HdComplex{1, 0}) / sum),
        weighted(eps * at.u1 + at.u2) {}
};

/// Returns the spectra of the reflection below the surface (buried_kernels.h): u1 and u2
/// exchanged, 1/eps for eps and k2 for k: Rh = (u2 - u1) / (u1 + u2), P = -2 eps (u2 -
/// u1) / (eps u1 + u2), with u2^2 / eps for u1^2; P counts in squares of the wavelength
/// there.
THINWIRE_HD inline WeightedSpectra below_spectra(HdComplex eps,
                                                 const PathPointOf<HdComplex>& at) {
  const VerticalWaves w(eps, at);
  const HdComplex rh = -w.difference / w.sum, p = 2.0 * w.difference / w.weighted;
  const HdComplex phi = rh + at.u2 * at.u2 * p;
  const HdComplex weight = at.weight * at.kr / at.u2;
  return {at.u1,
          at.u2,
          {weight * rh, weight * phi / eps, weight * (rh - 2.0 * phi - eps * p),
           at.weight * (at.kr * at.kr) * p}};
}

}  // namespace thinwire
