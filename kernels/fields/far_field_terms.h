#pragma once

#include <cmath>

#include "kernels/base/complex.h"
#include "kernels/base/constants.h"
#include "kernels/base/sincos.h"
#include "kernels/fields/far_field.h"

namespace thinwire {

/// A moment at r times J0(ka sin psi) e^{j k u . r}, u being the direction and psi its
/// angle with the wire along t. J0 is the mean of the phase around the wire's
/// circumference, by its series: ka < 1 gives it to 7e-6, ka < 0.3 to 1e-9.
THINWIRE_HD THINWIRE_INLINE HdComplex moment_seen_along(Vec3 u, Vec3 r, Vec3 t,
                                                        HdComplex moment, double ka2,
                                                        double k) {
  double sine, cosine;
  sincos_simd(k * dot(u, r), sine, cosine);
  const double c = dot(u, t);
  const double q = 0.25 * ka2 * (1 - c * c);
  const double j0 = 1 - q * (1 - q * (0.25 - q / 36));
  return {j0 * (moment.re * cosine - moment.im * sine),
          j0 * (moment.re * sine + moment.im * cosine)};
}

/// r E e^{jkr} in a direction, volt: E = -j k eta / (4 pi) (N - (N . u) u), N = sum of
/// moments e^{j k u . r}  (Balanis 2016, eq. 3-58).
inline void transverse_field(Direction way, Complex nx, Complex ny, Complex nz, double k,
                             Complex& e_theta_v, Complex& e_phi_v) {
  const Complex factor(0, -k * eta0_ohm / (4 * pi));
  const double st = std::sin(way.theta), ct = std::cos(way.theta);
  const double sp = std::sin(way.phi), cp = std::cos(way.phi);
  e_theta_v = factor * (ct * cp * nx + ct * sp * ny - st * nz);
  e_phi_v = factor * (cp * ny - sp * nx);
}

}  // namespace thinwire
