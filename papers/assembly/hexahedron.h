#pragma once

#include <cmath>

#include "kernels/base/host_device.h"
#include "kernels/base/vec3.h"

namespace thinwire {

/// Trilinear hexahedra of linear elasticity: 8 corners with 3 unknowns each, 2 x 2 x 2
/// Gauss points on the local cube [-1, 1]^3, whose weights are 1. Corners and points are
/// numbered alike: bit d of the number says on which side of local axis d it is.

/// Lame's constants, in units of the stiffness wanted.
struct Elasticity {
  double lambda = 0, mu = 0;
};

inline Elasticity isotropic(double youngs_modulus, double poisson_ratio) {
  return {
      youngs_modulus * poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio)),
      youngs_modulus / (2 * (1 + poisson_ratio))};
}

/// One-dimensional shape functions at a Gauss point: of its own side, and of the other.
inline constexpr double gauss_own = 0.78867513459481288225;  // (1 + 1 / sqrt(3)) / 2
inline constexpr double gauss_other = 1 - gauss_own;

/// Derivatives along the local axes, at a Gauss point, of the trilinear function with
/// these values at the corners.
THINWIRE_HD inline Vec3 local_derivatives(const double (&corner)[8], unsigned point) {
  const double x1 = point & 1 ? gauss_own : gauss_other, x0 = 1 - x1;
  const double y1 = point & 2 ? gauss_own : gauss_other, y0 = 1 - y1;
  const double z1 = point & 4 ? gauss_own : gauss_other, z0 = 1 - z1;
  double value[4], derivative[4];  // along x, at the four edges
  for (int edge = 0; edge < 4; ++edge) {
    value[edge] = x0 * corner[2 * edge] + x1 * corner[2 * edge + 1];
    derivative[edge] = corner[2 * edge + 1] - corner[2 * edge];
  }
  return {0.5 * (z0 * (y0 * derivative[0] + y1 * derivative[1]) +
                 z1 * (y0 * derivative[2] + y1 * derivative[3])),
          0.5 * (z0 * (value[1] - value[0]) + z1 * (value[3] - value[2])),
          0.5 * ((y0 * value[2] + y1 * value[3]) - (y0 * value[0] + y1 * value[1]))};
}

/// direction . (local derivatives of the shape function of each corner), at a Gauss
/// point.
THINWIRE_HD inline void corner_derivatives(Vec3 direction, unsigned point,
                                           double (&derivative)[8]) {
  const double x[2] = {point & 1 ? gauss_other : gauss_own,
                       point & 1 ? gauss_own : gauss_other};
  const double y[2] = {point & 2 ? gauss_other : gauss_own,
                       point & 2 ? gauss_own : gauss_other};
  const double z[2] = {point & 4 ? gauss_other : gauss_own,
                       point & 4 ? gauss_own : gauss_other};
  const Vec3 half = 0.5 * direction;
  for (int c = 0; c < 8; ++c) {
    const int i = c & 1, j = c >> 1 & 1, k = c >> 2;
    const double u = half.x * (y[j] * z[k]), v = half.y * (x[i] * z[k]),
                 w = half.z * (x[i] * y[j]);
    derivative[c] = (i ? u : -u) + ((j ? v : -v) + (k ? w : -w));
  }
}

/// Returns the row that turns local derivatives into the derivative along axis 0, 1 or 2
/// of space, times sqrt(det J): a row of the inverse of J = d(space) / d(local). x, y, z:
/// local derivatives of the coordinates.
THINWIRE_HD inline Vec3 scaled_inverse_row(Vec3 x, Vec3 y, Vec3 z, int axis) {
  const Vec3 row = axis == 0 ? cross(y, z) : axis == 1 ? cross(z, x) : cross(x, y);
  const double determinant = dot(axis == 0 ? x : axis == 1 ? y : z, row);
  return (1 / std::sqrt(determinant)) * row;
}

/// Entry (i, j) of the 3 x 3 block of corners a and b of an element: with P the integral
/// of grad N_a (grad N_b)^T,
///   lambda P_ij + mu P_ji + mu (trace P if i = j).
THINWIRE_HD inline double stiffness(Elasticity material, double p_ij, double p_ji,
                                    double trace_if_diagonal) {
  // Spelled out: which product a compiler fuses must not differ from entry to entry.
  return std::fma(material.lambda, p_ij, material.mu * (p_ji + trace_if_diagonal));
}

/// Gradients of the shape functions at the Gauss points, [point][axis][corner], times
/// sqrt(det J): sums over the points of products of two are integrals. Without weights
/// such a sum is the same bits with the two exchanged: matrices are symmetric to the bit.
struct ElementGradients {
  double at[8][3][8];
};

/// corner: positions of the corners. Elements must not be inverted (det J > 0).
inline ElementGradients element_gradients(const Vec3 (&corner)[8]) {
  double x[8], y[8], z[8];
  for (int c = 0; c < 8; ++c) {
    x[c] = corner[c].x;
    y[c] = corner[c].y;
    z[c] = corner[c].z;
  }
  ElementGradients gradients;
  for (unsigned point = 0; point < 8; ++point) {
    const Vec3 dx = local_derivatives(x, point), dy = local_derivatives(y, point),
               dz = local_derivatives(z, point);
    for (int axis = 0; axis < 3; ++axis)
      corner_derivatives(scaled_inverse_row(dx, dy, dz, axis), point,
                         gradients.at[point][axis]);
  }
  return gradients;
}

}  // namespace thinwire
