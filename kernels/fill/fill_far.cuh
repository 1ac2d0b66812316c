#pragma once

#include "kernels/base/constants.h"
#include "kernels/element/far_kernel.h"
#include "kernels/element/tube_kernel.h"
#include "kernels/fill/fill_mesh.cuh"

namespace thinwire::device {

/// A far pair's product of two Gauss rules. What depends on a pair of points is a
/// function of the distances s and s' from the starts alone: r = D + s t_p - s' t_q.
struct FarPair {
  double d2, dp, dq;  // |D|^2, D . t_p, D . t_q
  double cosine;      // t_p . t_q
  double half_p, half_q;
  double a_p, a_q, k;
  RadiusTerms radius;

  __device__ FarPair(const Element& p, const Element& q, double wave_number, bool exact)
      : cosine(dot(p.tangent, q.tangent)),
        half_p(0.5 * p.length_m),
        half_q(0.5 * q.length_m),
        a_p(p.radius_m),
        a_q(q.radius_m),
        k(wave_number) {
    const Vec3 d = p.start_m - q.start_m;
    d2 = dot(d, d);
    dp = dot(d, p.tangent);
    dq = dot(d, q.tangent);
    const double a2 = a_p * a_p, b2 = a_q * a_q;
    radius =
        exact ? RadiusTerms{0.25 * a2, 0.25 * b2, 0} : RadiusTerms{0, 0, 0.5 * (a2 + b2)};
  }
  /// Green's function between points at these distances from the starts.
  template <bool series>
  __device__ HdComplex greens(double s, double t) const {
    const double dot_p = dp + s - t * cosine, dot_q = dq + s * cosine - t;
    // |r|^2 = D^2 + s (D + r) . t_p - s' (D + r) . t_q
    const double r2 = d2 + s * (dp + dot_p) - t * (dq + dot_q);
    if constexpr (series) return tube_series(r2, dot_p, dot_q, cosine, a_p, a_q, k);
    return far_greens(r2, dot_p, dot_q, k, radius);
  }
};

/// z += scale times the element matrix of elements number p and q. The short rules, which
/// most pairs take, are unrolled over the points of q: what belongs to those stays in
/// registers, and their Green's functions overlap in time.
template <int order, bool series>
__device__ inline void add_far(const Mesh& mesh, const FarPair& pair, std::uint32_t p,
                               std::uint32_t q, double scale, HdComplex (&z)[2][2]) {
  const GaussRule gauss = gauss_rule(order);
  const std::size_t n = mesh.elements;
  constexpr int from = first_point(order), unroll = order <= 3 && !series ? order : 1;
  const double *value_p = mesh.value + from * n + p, *slope_p = mesh.slope + from * n + p,
               *value_q = mesh.value + from * n + q, *slope_q = mesh.slope + from * n + q;
  const double factor = scale * pair.k * eta0_ohm / (4 * pi);
#pragma unroll 1
  for (int a = 0; a < order; ++a) {
    HdComplex value[2], slope[2];  // sums over q of G u_j and G u_j'
    const double s = pair.half_p * (1 + gauss.node[a]);
#pragma unroll unroll
    for (int b = 0; b < order; ++b) {
      const HdComplex g = pair.greens<series>(s, pair.half_q * (1 + gauss.node[b]));
      const int mirror = order - 1 - b;
      value[0] += value_q[mirror * n] * g;
      value[1] += value_q[b * n] * g;
      slope[0] += -slope_q[mirror * n] * g;
      slope[1] += slope_q[b * n] * g;
    }
    const int mirror = order - 1 - a;
    const double value_i[2] = {value_p[mirror * n], value_p[a * n]},
                 slope_i[2] = {-slope_p[mirror * n], slope_p[a * n]};
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const double v = factor * pair.cosine * value_i[i], w = factor * slope_i[i];
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        z[i][j].re -= v * value[j].im - w * slope[j].im;
        z[i][j].im += v * value[j].re - w * slope[j].re;
      }
    }
  }
}

template <bool series>
__device__ inline void add_far(const Mesh& mesh, const FarPair& pair, std::uint32_t p,
                               std::uint32_t q, int order, double scale,
                               HdComplex (&z)[2][2]) {
  switch (order) {
    case 2:
      return add_far<2, series>(mesh, pair, p, q, scale, z);
    case 3:
      return add_far<3, series>(mesh, pair, p, q, scale, z);
    case 4:
      return add_far<4, series>(mesh, pair, p, q, scale, z);
    default:
      return add_far<6, series>(mesh, pair, p, q, scale, z);
  }
}

}  // namespace thinwire::device
