#pragma once

#include <complex>

#include "kernels/base/complex.h"

namespace thinwire {

/// Spectra of the integrals of half_space.h, at one kr. C: Complex, or HdComplex.
template <class C>
struct ReflectionSpectra {
  C rh;   ///< Rh
  C p;    ///< P
  C phi;  ///< Rh + u1^2 P
};

/// Michalski and Mosig (1997), section IV, reduced to two half spaces. u1 - u2 =
/// (eps - 1) / (u1 + u2) is never subtracted. u1: sqrt(kr^2 - 1), u2: sqrt(kr^2 - eps).
template <class C>
THINWIRE_HD ReflectionSpectra<C> reflection_spectra(C eps, C u1, C u2) {
  const C sum = u1 + u2, difference = (eps - C{1, 0}) / sum;
  const C rh = difference / sum;
  const C p = -2.0 * difference / (eps * u1 + u2);
  return {rh, p, rh + u1 * u1 * p};
}

}  // namespace thinwire
