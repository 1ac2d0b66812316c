#pragma once

#include <complex>

#include "kernels/base/complex.h"

namespace thinwire {

/// What the integrals of half_space.h are made of, at one kr.
struct ReflectionSpectra {
  Complex rh;   ///< Rh
  Complex p;    ///< P
  Complex phi;  ///< Rh + u1^2 P
};

/// Michalski and Mosig (1997), section IV, reduced to two half spaces. u1 - u2 =
/// (eps - 1) / (u1 + u2) is never subtracted. u1: sqrt(kr^2 - 1), u2: sqrt(kr^2 - eps).
inline ReflectionSpectra reflection_spectra(Complex eps, Complex u1, Complex u2) {
  const Complex sum = u1 + u2, difference = (eps - 1.0) / sum;
  const Complex rh = difference / sum;
  const Complex p = -2.0 * difference / (eps * u1 + u2);
  return {rh, p, rh + u1 * u1 * p};
}

}  // namespace thinwire
