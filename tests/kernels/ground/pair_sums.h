#pragma once

#include <algorithm>
#include <cmath>
#include <complex>

#include "kernels/base/constants.h"
#include "kernels/element/near_pair.h"
#include "kernels/ground/half_space.h"

namespace thinwire::testing {

/// Integrals over a pair of elements, for each pair of their shape functions.
struct Sums {
  Complex z[4] = {};
};
inline Sums operator+(Sums a, const Sums& b) {
  for (int i = 0; i < 4; ++i) a.z[i] += b.z[i];
  return a;
}
inline Sums operator*(double s, Sums a) {
  for (Complex& z : a.z) z *= s;
  return a;
}

/// The integrand at distances s and t from the starts of p and q, from the kernels of the
/// ground there.
inline Sums pair_integrand(const Element& p, double s, const Element& q, double t,
                           double k, const ReflectedKernels& g) {
  const Vec3 a = p.start_m + s * p.tangent, b = q.start_m + t * q.tangent;
  const double x = a.x - b.x, y = a.y - b.y, rho = std::hypot(x, y);
  const Vec3 r = rho > 0 ? Vec3{x / rho, y / rho, 0} : Vec3{};
  const Vec3 &tp = p.tangent, &tq = q.tangent;
  const Complex vector = (tp.x * tq.x + tp.y * tq.y) * Complex(g.h) +
                         tp.z * tq.z * Complex(g.zz) +
                         (tp.z * dot(tq, r) - dot(tp, r) * tq.z) * Complex(g.q);
  const auto shapes = [&](const Element& e, double d, double u[2], double du[2]) {
    const double over = 1 / std::sin(k * e.length_m);
    u[0] = over * std::sin(k * (e.length_m - d));
    u[1] = over * std::sin(k * d);
    du[0] = -over * std::cos(k * (e.length_m - d));
    du[1] = over * std::cos(k * d);
  };
  double u[2], du[2], v[2], dv[2];
  shapes(p, s, u, du);
  shapes(q, t, v, dv);
  Sums sums;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      sums.z[2 * i + j] = u[i] * v[j] * vector - du[i] * dv[j] * Complex(g.phi);
  return sums;
}

/// The distance along p's line at which it passes q's; 0 for parallel ones.
inline double passing(const Element& p, const Element& q) {
  const Vec3 step = q.start_m - p.start_m;
  const double c = dot(p.tangent, q.tangent);
  if (c * c > 1 - 1e-9) return 0;
  return (dot(step, p.tangent) - c * dot(step, q.tangent)) / (1 - c * c);
}

inline ElementMatrix matrix_of(const Sums& sums, double k) {
  ElementMatrix m;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const Complex z = Complex(0, k * k * eta0_ohm / (4 * pi)) * sums.z[2 * i + j];
      m.z[i][j] = {z.real(), z.imag()};
    }
  return m;
}

inline double largest(const ElementMatrix& m) {
  double size = 0;
  for (const auto& row : m.z)
    for (const HdComplex z : row) size = std::max(size, abs(z));
  return size;
}

inline double largest_difference(ElementMatrix a, const ElementMatrix& b) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) a.z[i][j] += -1.0 * b.z[i][j];
  return largest(a);
}

}  // namespace thinwire::testing
