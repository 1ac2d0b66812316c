#pragma once

#include <cmath>

#include "kernels/base/complex.h"
#include "kernels/base/constants.h"
#include "kernels/base/dual.h"
#include "kernels/base/quadrature.h"
#include "kernels/base/sincos.h"

namespace thinwire {

/// Static means over a ring, R^2 = centre2 - swing cos(phi): `inverse` = <1/R>, in 1/m,
/// and `distance` = <R>, in m.
template <class Real>
struct RingStatics {
  Real inverse{}, distance{};
};

/// The means as series in w2 = (swing / centre2)^2; with the terms below, 1e-12 for w2
/// up to 0.09. Coefficients: binomial(p, 2m) binomial(2m, m) / 4^m, p = -1/2 and 1/2.
template <class Real>
THINWIRE_HD THINWIRE_INLINE RingStatics<Real> ring_statics_series(Real centre2, Real w2) {
  constexpr int terms = 10;
  constexpr double c[terms] = {1.0,
                               0.1875,
                               0.1025390625,
                               0.07049560546875,
                               0.053697824478149414,
                               0.043360993266105652,
                               0.036359999561682343,
                               0.031304846561397426,
                               0.027483454158883092,
                               0.02449335613696757};
  constexpr double d[terms] = {1.0,
                               -0.0625,
                               -0.0146484375,
                               -0.00640869140625,
                               -0.0035798549652099609,
                               -0.0022821575403213501,
                               -0.0015808695461601019,
                               -0.001159438761533238,
                               -0.00088656303738332554,
                               -0.00069981017534193057};
  Real inverse = c[terms - 1];
  Real distance = d[terms - 1];
  for (int m = terms - 2; m >= 0; --m) {
    inverse = c[m] + w2 * inverse;
    distance = d[m] + w2 * distance;
  }
  const Real r0 = sqrt(centre2);
  return {inverse / r0, distance * r0};
}

/// The means as complete elliptic integrals,
///   <1/R> = (2 / pi S) K(m) = 1 / agm(S, D),   <R> = (2 S / pi) E(m),
///   S^2 = centre2 + swing, D^2 = inner2 = centre2 - swing > 0, m = 1 - (D/S)^2,
/// by the arithmetic-geometric mean (Gauss; Abramowitz and Stegun 17.6), which keeps its
/// digits as D goes to zero.
template <class Real>
THINWIRE_HD inline RingStatics<Real> ring_statics(Real centre2, Real swing, Real inner2) {
  const Real ratio = swing / centre2;
  if (ratio < 0.3) return ring_statics_series(centre2, ratio * ratio);
  const Real outer2 = centre2 + swing;
  Real a = sqrt(outer2);
  Real b = sqrt(inner2);
  Real sum = 0;
  double weight = 1;
  // The relative difference goes 2e-8 -> 5e-17 in one more step, taken by the mean below.
  THINWIRE_ROLLED for (int i = 0; i < 40 && a - b > 2e-8 * a; ++i) {
    const Real c = 0.5 * (a - b);
    const Real g = sqrt(a * b);
    sum += weight * c * c;
    weight *= 2;
    a = 0.5 * (a + b);
    b = g;
  }
  const Real inverse = 2 / (a + b);
  return {inverse, (centre2 - sum) * inverse};
}

/// The part of e^{-jkR}/R that is left without 1/R - jk - k^2 R/2: smooth in R^2 up to
/// the term k^4 R^3 / 24.
template <class Real>
THINWIRE_HD inline BasicComplex<Real> helmholtz_remainder(Real r, double k) {
  const Real x = k * r;
  const Real x2 = x * x;
  if (x < 0.3) {
    const Real re = x2 * x2 / 24 * (1 - x2 / 30 * (1 - x2 / 56 * (1 - x2 / 90)));
    const Real im = x2 * x / 6 * (1 - x2 / 20 * (1 - x2 / 42 * (1 - x2 / 72)));
    return {k * re / x, k * im / x};
  }
  return {(cos(x) - 1 + 0.5 * x2) / r, (x - sin(x)) / r};
}

/// <(R - R_0)^n / R> / R_0^{n-1} for n = 0 .. 6, R_0^2 = centre2: the means of (R -
/// R_0)^n / R follow from <1/R>, <R> and the recurrence of Legendre functions, (v+1)
/// <R^{2v+2}> = (2v+1) centre2 <R^{2v}> - v S^2 D^2 <R^{2v-2}>.
template <class Real>
struct RingMoments {
  Real m0, m1, m2, m3, m4, m5, m6;
};

template <class Real>
THINWIRE_HD THINWIRE_INLINE RingMoments<Real> ring_moments(const RingStatics<Real>& s,
                                                           Real r0, Real w) {
  const Real e = s.inverse * r0;
  const Real d = s.distance / r0;
  const Real cube = (2 * d - 0.5 * (1 - w * w) * e) * (2.0 / 3.0);
  const Real fifth = 1.6 * cube - 0.6 * (1 - w * w) * d;
  return {e,
          1 - e,
          d - 2 + e,
          4 - 3 * d - e,
          cube - 8 + 6 * d + e,
          16 + 0.5 * w * w - 5 * cube - 10 * d - e,
          fifth - 32 - 3 * w * w + 15 * cube + 15 * d + e};
}

/// The first seven terms of ring_mean's series, without e^{-jx} / r0, where x = k r0.
template <class Real>
THINWIRE_HD THINWIRE_INLINE BasicComplex<Real> ring_series(const RingMoments<Real>& m,
                                                           Real x) {
  const Real x2 = x * x;
  return {m.m0 - 0.5 * x2 * (m.m2 - x2 / 12 * (m.m4 - x2 / 30 * m.m6)),
          -x * (m.m1 - x2 / 6 * (m.m3 - x2 / 20 * m.m5))};
}

/// Whether that series gives 1e-10; r_min: the least R.
THINWIRE_HD THINWIRE_INLINE bool ring_series_holds(double x, double r0, double r_min,
                                                   double k) {
  return (x < 6) & (k * (r0 - r_min) <= 0.1);
}

/// Mean of e^{-jkR}/R over phi, R^2 = centre2 - swing cos(phi): the field of a charged
/// ring. `inner2` = centre2 - swing is passed too because callers know it without
/// cancellation; it must be positive. Lengths in metres, result in 1/m.
///
/// With R_0^2 = centre2, e^{-jkR}/R = e^{-jkR_0} sum_n (-jk)^n (R - R_0)^n / (n! R).
/// Seven terms give 1e-10 while k (R_0 - R_min) <= 0.1. Else the static terms are taken
/// out and the rest is integrated with 16 points (k times the swing up to about 8).
template <class Real>
THINWIRE_APART THINWIRE_HD inline BasicComplex<Real> ring_mean(Real centre2, Real swing,
                                                               Real inner2, double k) {
  const RingStatics<Real> s = ring_statics(centre2, swing, inner2);
  const Real r0 = sqrt(centre2);
  const Real x = k * r0;
  if (ring_series_holds(value_of(x), value_of(r0), value_of(sqrt(inner2)), k)) {
    // Everything in units of r0, so that only powers of x = k r0 remain.
    const BasicComplex<Real> sum = ring_series(ring_moments(s, r0, swing / centre2), x);
    Real sine, cosine;
    sincos_simd(x, sine, cosine);
    return BasicComplex<Real>{cosine / r0, -sine / r0} * sum;
  }
  const GaussRule rule = gauss_rule(16);
  BasicComplex<Real> rest;
  THINWIRE_ROLLED for (int i = 0; i < rule.points; ++i) {
    const double half = 0.25 * pi * (1 + rule.node[i]);
    const double sine = std::sin(half);
    const Real r = sqrt(inner2 + 2 * swing * sine * sine);
    rest += 0.5 * rule.weight[i] * helmholtz_remainder(r, k);
  }
  return {s.inverse - 0.5 * k * k * s.distance + rest.re, -k + rest.im};
}

/// Green's function of two coaxial rings of radii a and b, an axial distance t apart:
/// the mean of e^{-jkR}/R over both, R^2 = t^2 + a^2 + b^2 - 2 a b cos(phi). t2 = t^2.
/// Wavenumber: double or, with complex_wave.h and Real double, HdComplex, here and below.
template <class Real, class Wavenumber>
THINWIRE_HD inline BasicComplex<Real> coaxial_green(Real t2, Real a, Real b,
                                                    Wavenumber k) {
  const Real gap = a - b;
  return ring_mean(t2 + a * a + b * b, 2 * a * b, t2 + gap * gap, k);
}

/// e^{-jkR}/R.
template <class Real>
THINWIRE_HD inline BasicComplex<Real> filament_green(Real r2, double k) {
  const Real r = sqrt(r2);
  return {cos(k * r) / r, -sin(k * r) / r};
}

}  // namespace thinwire
