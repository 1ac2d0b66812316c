#pragma once

#include <complex>

#include "kernels/base/complex.h"

namespace thinwire {

/// What the integrals of half_space.h are made of, at one kr.
struct ReflectionSpectra {
  Complex u1;   ///< sqrt(kr^2 - 1): waves in the air decay as e^{-u1 z}
  Complex u2;   ///< sqrt(kr^2 - eps): waves in the ground as e^{-u2 depth}
  Complex rh;   ///< Rh
  Complex p;    ///< P
  Complex phi;  ///< Rh + u1^2 P
};

/// Michalski and Mosig (1997), section IV, reduced to two half spaces. u1 - u2 =
/// (eps - 1) / (u1 + u2) is never subtracted.
inline ReflectionSpectra reflection_spectra(Complex eps, Complex kr) {
  const Complex kr2 = kr * kr;
  const Complex u1 = std::sqrt(kr2 - 1.0), u2 = std::sqrt(kr2 - eps);
  const Complex sum = u1 + u2, difference = (eps - 1.0) / sum;
  const Complex rh = difference / sum;
  const Complex p = -2.0 * difference / (eps * u1 + u2);
  return {u1, u2, rh, p, rh + u1 * u1 * p};
}

}  // namespace thinwire
