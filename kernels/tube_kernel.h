#pragma once

#include <cmath>

#include "kernels/coaxial_kernel.h"
#include "kernels/quadrature_order.h"
#include "kernels/vec3.h"

namespace thinwire {

/// Mean of e^{-jkR}/R over both circumferences of tubes far apart (far_radii and beyond);
/// formula and error in quadrature_order.h. cp2, cq2: squared cosines between the line of
/// centres and the two axes.
THINWIRE_HD inline HdComplex far_tube_green(double r2, double cp2, double cq2, double a,
                                            double b, double k) {
  const double a2 = a * a;
  const double b2 = b * b;
  const double r_eff2 = r2 + 0.5 * a2 * (3 * cp2 - 1) + 0.5 * b2 * (3 * cq2 - 1);
  const double xp = k * k * a2 * (1 - cp2);
  const double xq = k * k * b2 * (1 - cq2);
  const double f = (1 - 0.25 * xp * (1 - xp / 16)) * (1 - 0.25 * xq * (1 - xq / 16));
  return f * filament_green(r_eff2, k);
}

/// Points of the trapezoid rule on the half circumference of a ring of radius b that
/// integrate, to about 1e-9, a field whose sources are `distance` or more from its
/// centre: the rule with n points on the whole circle leaves (b / distance)^n. At most
/// 32, which serves touching tubes.
THINWIRE_HD inline int half_ring_points(double b, double distance) {
  const double ratio = distance / b;
  if (ratio < 1.3) return 32;
  const int n = 2 + static_cast<int>(9.0 / std::log(ratio));
  return n < 32 ? n : 32;
}

/// Mean of e^{-jkR}/R over both circumferences of two parallel tubes with axes `distance`
/// apart (more than a + b), as a function of the squared axial offset t2: one ring in
/// closed form (a, the larger), the trapezoid rule on the other.
struct ParallelTubeKernel {
  double a_m, b_m, distance_m, k_rad_per_m;
  double scale_m;
  double width_m = 0;

  THINWIRE_HD ParallelTubeKernel(double a, double b, double distance, double k)
      : a_m(a),
        b_m(b),
        distance_m(distance),
        k_rad_per_m(k),
        // Touching tubes leave a weak singularity at t = 0 that this much grading
        // resolves.
        scale_m(std::fmax(distance - a - b, 0.02 * b)) {}

  THINWIRE_HD HdComplex operator()(double t2) const {
    const double r2 = t2 + distance_m * distance_m;
    if (r2 > far_radii * far_radii * a_m * a_m &&
        k_rad_per_m * a_m < far_electrical_radius) {
      return far_tube_green(r2, t2 / r2, t2 / r2, a_m, b_m, k_rad_per_m);
    }
    const double inner = distance_m - a_m;
    const int n = half_ring_points(b_m, std::sqrt(t2 + inner * inner));
    HdComplex sum;
    for (int i = 0; i < n; ++i) {
      const double c = std::cos(pi * (i + 0.5) / n);
      const double d2 = distance_m * distance_m + b_m * b_m + 2 * distance_m * b_m * c;
      const double d = std::sqrt(d2);
      sum += ring_mean(t2 + d2 + a_m * a_m, 2 * a_m * d, t2 + (d - a_m) * (d - a_m),
                       k_rad_per_m);
    }
    return (1.0 / n) * sum;
  }
};

/// The same for tubes in any direction: r = axis point of the second minus axis point of
/// the first, p the first tangent, n1 and n2 two unit vectors normal to the second's.
struct SkewTubeKernel {
  Vec3 p, q, n1, n2;
  double a_m, b_m, k_rad_per_m;

  THINWIRE_HD HdComplex operator()(Vec3 r, int points) const {
    HdComplex sum;
    for (int i = 0; i < points; ++i) {
      const double psi = 2 * pi * (i + 0.5) / points;
      const Vec3 s = r + (b_m * std::cos(psi)) * n1 + (b_m * std::sin(psi)) * n2;
      const double z = dot(s, p);
      const double d = norm(s - z * p);
      sum += ring_mean(z * z + d * d + a_m * a_m, 2 * a_m * d,
                       z * z + (d - a_m) * (d - a_m), k_rad_per_m);
    }
    return (1.0 / points) * sum;
  }

  THINWIRE_HD HdComplex far(Vec3 r) const {
    const double r2 = dot(r, r);
    const double zp = dot(r, p);
    const double zq = dot(r, q);
    return far_tube_green(r2, zp * zp / r2, zq * zq / r2, a_m, b_m, k_rad_per_m);
  }
};

}  // namespace thinwire
