#pragma once

#include <cmath>

#include "kernels/base/complex.h"
#include "kernels/base/quadrature.h"
#include "kernels/element/coaxial_kernel.h"
#include "kernels/element/tube_kernel.h"

namespace thinwire {

// The Green's functions of coaxial_kernel.h and tube_kernel.h in a medium with loss: wave
// number k with Im k <= 0, on the host. They are series in y = jkR with real
// coefficients, times e^{-y}, which stays in front so that nothing cancels where the wave
// has died.

inline double abs_wavenumber(HdComplex k) {
  return abs(k);
}

/// jkr.
inline HdComplex travelled(HdComplex k, double r) {
  return {-k.im * r, k.re * r};
}

/// e^{-y}.
inline HdComplex wave_factor(HdComplex y) {
  const double size = std::exp(-y.re);
  return {size * std::cos(y.im), -size * std::sin(y.im)};
}

/// c[0] + c[1] y + c[2] y^2 + ...
template <int count>
inline HdComplex polynomial(HdComplex y, const double (&c)[count]) {
  HdComplex sum{c[count - 1], 0};
  for (int n = count - 2; n >= 0; --n) {
    sum = sum * y;
    sum.re += c[n];
  }
  return sum;
}

/// e^{-jkR}/R.
inline HdComplex filament_green(double r2, HdComplex k) {
  const double r = std::sqrt(r2);
  return (1 / r) * wave_factor(travelled(k, r));
}

/// The part of e^{-jkR}/R that is left without 1/R - jk - k^2 R/2.
inline HdComplex helmholtz_remainder(double r, HdComplex k) {
  const HdComplex y = travelled(k, r);
  if (norm(y) < 0.25) {
    // -y^3 / 3! + y^4 / 4! - ..., to 1e-16.
    constexpr double c[] = {-1.0 / 6,      1.0 / 24,      -1.0 / 120,
                            1.0 / 720,     -1.0 / 5040,   1.0 / 40320,
                            -1.0 / 362880, 1.0 / 3628800, -1.0 / 39916800};
    return (1 / r) * (y * (y * (y * polynomial(y, c))));
  }
  HdComplex rest = wave_factor(y) + y - 0.5 * (y * y);
  rest.re -= 1;
  return (1 / r) * rest;
}

/// ring_mean in such a medium, to 1e-10 for |k| times the radii up to 2: near the ring as
/// with a real k; where it is far against its radius, but not against the wavelength, by
/// the midpoint rule, which e^{-12 acosh(centre2 / swing)} is left of.
inline HdComplex ring_mean(double centre2, double swing, double inner2, HdComplex k) {
  const double r0 = std::sqrt(centre2), pace = abs(k);
  const bool small = pace * r0 < 6 && pace * (r0 - std::sqrt(inner2)) <= 0.1;
  if (!small && swing < 0.5 * centre2) {
    constexpr int points = 12;
    HdComplex sum;
    for (int i = 0; i < points; ++i)
      sum += filament_green(centre2 - swing * std::cos(pi * (i + 0.5) / points), k);
    return (1.0 / points) * sum;
  }
  const RingStatics<double> s = ring_statics(centre2, swing, inner2);
  if (small) {
    const RingMoments<double> m = ring_moments(s, r0, swing / centre2);
    const HdComplex y = travelled(k, r0);
    return (1 / r0) *
           (wave_factor(y) * polynomial(y, {m.m0, -m.m1, m.m2 / 2, -m.m3 / 6, m.m4 / 24,
                                            -m.m5 / 120, m.m6 / 720}));
  }
  const GaussRule rule = gauss_rule(16);
  HdComplex sum;
  for (int i = 0; i < rule.points; ++i) {
    const double sine = std::sin(0.25 * pi * (1 + rule.node[i]));
    const double r = std::sqrt(inner2 + 2 * swing * sine * sine);
    sum += 0.5 * rule.weight[i] * helmholtz_remainder(r, k);
  }
  const HdComplex jk = travelled(k, 1);
  sum += 0.5 * s.distance * (jk * jk) - jk;
  sum.re += s.inverse;
  return sum;
}

/// tube_series in such a medium.
inline HdComplex tube_series(double r2, double zp, double zq, double c, double a,
                             double b, HdComplex k) {
  const TubeMeans<double> m = tube_means(r2, zp, zq, c, a, b);
  const double f2 = m.f2, f3 = m.f3, f4 = m.f4;
  const HdComplex y = travelled(k, m.r);
  return m.inverse_r *
         (wave_factor(y) *
          polynomial(y, {1 + 3 * f2 - 15 * f3 + 105 * f4, 3 * f2 - 15 * f3 + 105 * f4,
                         f2 - 6 * f3 + 45 * f4, -f3 + 10 * f4, f4}));
}

/// As many points as the ring's place asks for, or as its radius against the wavelength
/// does: n points leave the Bessel function J_n(|k| b).
inline int ring_points(double b, double distance, HdComplex k, double nats = 15) {
  const int waves = static_cast<int>(0.4 * nats + 8 * abs(k) * b);
  return std::max(ring_points(b, distance, 0.0, nats), waves);
}

}  // namespace thinwire
