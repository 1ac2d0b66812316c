#pragma once

#include <cmath>

#include "kernels/base/sincos.h"
#include "kernels/base/vec3.h"
#include "kernels/element/coaxial_kernel.h"
#include "kernels/element/quadrature_order.h"

namespace thinwire {

/// Whether tubes whose axes are `distance` apart overlap; touching ones do not.
THINWIRE_HD inline bool tubes_overlap(double distance, double radii) {
  return distance < (1 - 1e-9) * radii;
}

/// sqrt(w) of tube_series, its inverse, and the means of (d/w)^n / (2^n n!), n = 2, 3, 4.
template <class Real>
struct TubeMeans {
  Real r, inverse_r, f2, f3, f4;
};

template <class Real>
THINWIRE_HD THINWIRE_INLINE TubeMeans<Real> tube_means(Real r2, Real zp, Real zq, Real c,
                                                       Real a, Real b) {
  const Real a2 = a * a;
  const Real b2 = b * b;
  const Real w = r2 + a2 + b2;
  const Real u = 1 / w;
  // Everything in units of w: squared distances from the axes, then the means.
  const Real sp = a2 * u * (r2 - zp * zp) * u;
  const Real sq = b2 * u * (r2 - zq * zq) * u;
  const Real ab = a2 * u * b2 * u;
  // The means are 8 f2, 48 f3 and 384 f4: written out, there is one division.
  const Real f2 = 0.25 * (sp + sq) + 0.125 * ab * (1 + c * c);
  const Real f3 = 0.25 * ab * (r2 - zp * zp - zq * zq + c * zp * zq) * u;
  const Real f4 = 0.015625 * (sp * sp + sq * sq) + 0.0625 * sp * sq;
  const Real inverse_r = sqrt(u);
  return {w * inverse_r, inverse_r, f2, f3, f4};
}

/// Mean of e^{-jkR}/R over both circumferences (radii a, b) to fourth order in the radii.
/// With w = r^2 + a^2 + b^2 and R^2 = w + d, d = 2 (b f - a e).r - 2 a b e.f for points a
/// e and b f on the two circles, the means of d^2, d^3 and d^4 multiply the derivatives
/// of e^{-jk sqrt(w)} / sqrt(w). r2 = r^2; zp, zq: components of r along the tangents; c:
/// cosine between those. Largest error found: 6.3 (a/r)^6 + 0.01 (k a)^6, 2e-7 at 24
/// radii.
template <class Real>
THINWIRE_HD THINWIRE_INLINE BasicComplex<Real> tube_series(Real r2, Real zp, Real zq,
                                                           Real c, Real a, Real b,
                                                           double k) {
  const TubeMeans<Real> m = tube_means(r2, zp, zq, c, a, b);
  const Real x = k * m.r;
  const Real x2 = x * x;
  const Real re =
      1 + m.f2 * (3 - x2) - m.f3 * (15 - 6 * x2) + m.f4 * (105 - x2 * (45 - x2));
  const Real im = x * (3 * m.f2 - m.f3 * (15 - x2) + m.f4 * (105 - 10 * x2));
  Real sine, cosine;
  sincos_simd(x, sine, cosine);
  return {m.inverse_r * (cosine * re + sine * im),
          m.inverse_r * (cosine * im - sine * re)};
}

/// Points of the trapezoid rule on a ring of radius b that integrate, to e^-nats (about
/// 1e-7), a field whose sources are `distance` or more from its centre: n points leave
/// (b / distance)^n. At most 64, which serves touching tubes. k b is below
/// series_electrical_radius, or the distance a few b.
THINWIRE_HD inline int ring_points(double b, double distance, double /*k*/,
                                   double nats = 15) {
  const double ratio = distance / b;
  if (ratio < 1.05) return 64;
  const int n = 2 + static_cast<int>(nats / std::log(ratio));
  return n < 64 ? n : 64;
}

/// |k|, of a wave number of either kind (complex_wave.h).
THINWIRE_HD inline double abs_wavenumber(double k) {
  return k;
}

/// Mean of e^{-jkR}/R over both circumferences of two parallel tubes with axes `distance`
/// apart (more than a + b), as a function of the squared axial offset t2: one ring in
/// closed form (a, the larger), the trapezoid rule on the other.
template <class Real, class Wavenumber>
struct ParallelTubeKernel {
  Real a_m, b_m, distance_m;
  Wavenumber k_rad_per_m;
  Real scale_m;
  Real width_m{};

  THINWIRE_HD ParallelTubeKernel(Real a, Real b, Real distance, Wavenumber k)
      : a_m(a),
        b_m(b),
        distance_m(distance),
        k_rad_per_m(k),
        // Touching tubes leave a weak singularity at t = 0 that this much grading
        // resolves.
        scale_m(fmax(distance - a - b, 0.02 * b)) {}

  THINWIRE_HD BasicComplex<Real> operator()(Real t2) const {
    const Real r2 = t2 + distance_m * distance_m;
    if (r2 > series_radii * series_radii * a_m * a_m &&
        abs_wavenumber(k_rad_per_m) * a_m < series_electrical_radius) {
      const Real t = sqrt(t2);
      return tube_series(r2, t, t, Real(1), a_m, b_m, k_rad_per_m);
    }
    const Real inner = distance_m - a_m;
    // The field is even in the angle: half the ring, midpoints.
    const int n =
        (ring_points(value_of(b_m), value_of(sqrt(t2 + inner * inner)), k_rad_per_m) +
         1) /
        2;
    BasicComplex<Real> sum;
    for (int i = 0; i < n; ++i) {
      const double c = std::cos(pi * (i + 0.5) / n);
      const Real d2 = distance_m * distance_m + b_m * b_m + 2 * distance_m * b_m * c;
      const Real d = sqrt(d2);
      sum += ring_mean(t2 + d2 + a_m * a_m, 2 * a_m * d, t2 + (d - a_m) * (d - a_m),
                       k_rad_per_m);
    }
    return (1.0 / n) * sum;
  }
};

/// Kernel of tubes in any direction: r = axis point of the second minus axis point of the
/// first, p the first tangent, n1 and n2 two unit vectors normal to the second's.
template <class Real, class Wavenumber>
struct SkewTubeKernel {
  BasicVec3<Real> p, q, n1, n2;
  Real a_m, b_m;
  Wavenumber k_rad_per_m;

  THINWIRE_HD BasicComplex<Real> operator()(BasicVec3<Real> r, int points) const {
    return mean(r, pi / points, 2 * pi / points, points);
  }
  /// Where n1 is normal to p and to r: from one half of the second circumference, which
  /// the other mirrors.
  THINWIRE_HD BasicComplex<Real> in_plane(BasicVec3<Real> r, int points) const {
    return mean(r, 0.5 * pi / points - 0.5 * pi, pi / points, points);
  }

  /// As many points as these places of the two circumferences ask for (ring_points).
  THINWIRE_HD int points_at(BasicVec3<Real> r, double nats) const {
    const Vec3 s = value_of(r);
    const double z = dot(s, value_of(p)),
                 beside = norm(s - z * value_of(p)) - value_of(a_m);
    return ring_points(value_of(b_m), std::sqrt(z * z + beside * beside), k_rad_per_m,
                       nats);
  }

  THINWIRE_HD BasicComplex<Real> far(BasicVec3<Real> r) const {
    return tube_series(dot(r, r), dot(r, p), dot(r, q), dot(p, q), a_m, b_m, k_rad_per_m);
  }

 private:
  /// Mean field of the first ring at equally spaced angles of the second.
  THINWIRE_HD BasicComplex<Real> mean(BasicVec3<Real> r, double first, double step,
                                      int points) const {
    const double c = std::cos(step), s = std::sin(step);
    double x = std::cos(first), y = std::sin(first);
    BasicComplex<Real> sum;
    for (int i = 0; i < points; ++i) {
      const BasicVec3<Real> at = r + (b_m * x) * n1 + (b_m * y) * n2;
      const Real z = dot(at, p);
      const Real d = norm(at - z * p);
      sum += ring_mean(z * z + d * d + a_m * a_m, 2 * a_m * d,
                       z * z + (d - a_m) * (d - a_m), k_rad_per_m);
      const double turned = c * x - s * y;
      y = s * x + c * y;
      x = turned;
    }
    return (1.0 / points) * sum;
  }
};

}  // namespace thinwire
