#pragma once

#include <cmath>

#include "kernels/base/complex.h"
#include "kernels/base/constants.h"
#include "kernels/base/sincos.h"
#include "kernels/fields/far_field.h"

namespace thinwire {

/// Returns the radiation of a piece in the direction u, A m: e^{j k u . r} times its
/// polynomial. number(i): the piece's i-th, of CurrentMoments::numbers.
template <class Number>
THINWIRE_HD THINWIRE_INLINE HdComplex seen_along(Vec3 u, const Number& number, double k) {
  using M = CurrentMoments;
  double sine, cosine;
  sincos_simd(k * dot(u, Vec3{number(0), number(1), number(2)}), sine, cosine);
  const double c =
      dot(u, Vec3{number(M::tangent), number(M::tangent + 1), number(M::tangent + 2)});
  double re = number(M::re + M::terms - 1), im = number(M::im + M::terms - 1);
  for (int n = M::terms - 2; n >= 0; --n) {
    re = re * c + number(M::re + n);
    im = im * c + number(M::im + n);
  }
  return {re * cosine - im * sine, re * sine + im * cosine};
}

/// r E e^{jkr} in a direction, volt: E = -j k eta / (4 pi) (N - (N . u) u), N = sum of
/// t times what pieces send  (Balanis 2016, eq. 3-58).
inline void transverse_field(Direction way, Complex nx, Complex ny, Complex nz, double k,
                             Complex& e_theta_v, Complex& e_phi_v) {
  const Complex factor(0, -k * eta0_ohm / (4 * pi));
  const double st = std::sin(way.theta), ct = std::cos(way.theta);
  const double sp = std::sin(way.phi), cp = std::cos(way.phi);
  e_theta_v = factor * (ct * cp * nx + ct * sp * ny - st * nz);
  e_phi_v = factor * (cp * ny - sp * nx);
}

}  // namespace thinwire
