#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/element/coaxial_kernel.h"
#include "kernels/element/complex_wave.h"
#include "kernels/element/element.h"

namespace thinwire::reference {

/// w (G_tubes - G_axis) for a vector between the axes of elements that meet at a bend, by
/// the definition in tube_blend.h. The rule on the second circumference gets three times
/// the points until that changes the mean by less than 1e-7: its error falls
/// exponentially.
template <class Wavenumber>
Complex blend_difference(const Element& p, const Element& q, Vec3 r, Wavenumber k) {
  const double radii = p.radius_m + q.radius_m, r2 = dot(r, r), zp = dot(r, p.tangent),
               zq = dot(r, q.tangent), excess = r2 - radii * radii, a = p.radius_m;
  if (excess <= 0) return 0;
  const double t = std::min(excess / (0.375 * (zp * zp + zq * zq)), 1.0);
  const Vec3 n = cross(p.tangent, q.tangent);
  const Vec3 n1 = (1 / norm(n)) * n, n2 = cross(q.tangent, n1);
  // Both halves of the circumference are alike, as r lies in the plane of the axes.
  const auto mean_of = [&](int points) {
    Complex sum = 0;
    for (int i = 0; i < points; ++i) {
      const double psi = pi * (i + 0.5) / points - 0.5 * pi;
      const Vec3 s =
          r + (q.radius_m * std::cos(psi)) * n1 + (q.radius_m * std::sin(psi)) * n2;
      const double z = dot(s, p.tangent), d = norm(s - z * p.tangent);
      sum += Complex(
          ring_mean(z * z + d * d + a * a, 2 * a * d, z * z + (d - a) * (d - a), k));
    }
    return sum / (1.0 * points);
  };
  Complex tubes = mean_of(6);
  for (int points = 18; points <= 162; points *= 3) {
    const Complex coarse = tubes;
    tubes = mean_of(points);
    if (std::abs(tubes - coarse) < 1e-7 * std::abs(tubes)) break;
  }
  return t * t * t * (10 - 15 * t + 6 * t * t) *
         (tubes - Complex(coaxial_green(r2, a, q.radius_m, k)));
}

}  // namespace thinwire::reference
