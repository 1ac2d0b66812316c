#pragma once

#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"
#include "kernels/element/element.h"
#include "kernels/ground/half_space.h"

namespace thinwire {

/// A stretch of an element, from its start.
struct Stretch {
  double from_m, to_m;
  double length() const { return to_m - from_m; }
};

inline Element part_of(const Element& e, Stretch s) {
  return {e.start_m + s.from_m * e.tangent, e.tangent, s.length(), e.radius_m};
}

/// A point of a Gauss rule on a stretch, with shape functions and derivatives over k
/// there, the weight in both.
struct PiecePoint {
  Vec3 at_m;
  double value[2], derivative[2];
};

/// The points of that order, clamped to [max_gauss_points]; how many they are.
inline int make_points(const Element& e, Stretch stretch, int order, double k,
                       PiecePoint* points) {
  const GaussRule rule = gauss_rule(order);
  const double half = 0.5 * stretch.length(), over = 1 / std::sin(k * e.length_m);
  for (int i = 0; i < rule.points; ++i) {
    const double s = stretch.from_m + half * (1 + rule.node[i]);
    const double w = half * rule.weight[i] * over;
    points[i] = {e.start_m + s * e.tangent,
                 {w * std::sin(k * (e.length_m - s)), w * std::sin(k * s)},
                 {-w * std::cos(k * (e.length_m - s)), w * std::cos(k * s)}};
  }
  return rule.points;
}

/// The sums of u_i u_j times the vector part and of the derivatives times the scalar
/// part.
struct PairSums {
  HdComplex z[2][2];

  THINWIRE_INLINE void add(HdComplex vector, HdComplex scalar, const double u[2],
                           const double u_derivative[2], const double v[2],
                           const double v_derivative[2]) {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        z[i][j].re +=
            u[i] * v[j] * vector.re - u_derivative[i] * v_derivative[j] * scalar.re;
        z[i][j].im +=
            u[i] * v[j] * vector.im - u_derivative[i] * v_derivative[j] * scalar.im;
      }
  }
  /// Times j k eta0 / (4 pi), and k for the kernels, which are times 1/k.
  ElementMatrix matrix(double k) const {
    const double scale = k * k * eta0_ohm / (4 * pi);
    ElementMatrix m;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) m.z[i][j] = {-scale * z[i][j].im, scale * z[i][j].re};
    return m;
  }
};

/// Adds the product of two Gauss rules along tp (the observer) and tq.
/// kernels(rho, p_z, q_z), metres: ReflectedKernels times 1/k. For functions with SIMD
/// clones, into which it is inlined.
template <class Kernels>
THINWIRE_INLINE void add_points(const Vec3& tp, const Vec3& tq, const PiecePoint* p,
                                int p_count, const PiecePoint* q, int q_count,
                                const Kernels& kernels, PairSums& sums) {
  const double horizontal = tp.x * tq.x + tp.y * tq.y, vertical = tp.z * tq.z;
  // t_z t'_h . r - t_h . r t'_z as a vector times r.
  const double across_x = tp.z * tq.x - tq.z * tp.x;
  const double across_y = tp.z * tq.y - tq.z * tp.y;
  for (int a = 0; a < p_count; ++a)
    for (int b = 0; b < q_count; ++b) {
      const double x = p[a].at_m.x - q[b].at_m.x, y = p[a].at_m.y - q[b].at_m.y;
      const double rho = std::sqrt(x * x + y * y);
      const ReflectedKernels g = kernels(rho, p[a].at_m.z, q[b].at_m.z);
      const double mixed = rho > 0 ? (across_x * x + across_y * y) / rho : 0;
      sums.add(horizontal * g.h + vertical * g.zz + mixed * g.q, g.phi, p[a].value,
               p[a].derivative, q[b].value, q[b].derivative);
    }
}

}  // namespace thinwire
