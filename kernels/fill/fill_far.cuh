#pragma once

#include "kernels/fill/far_pair_terms.h"
#include "kernels/fill/fill_mesh.cuh"

namespace thinwire::device {

/// z += scale times the element matrix of elements number p and q. The short rules, which
/// most pairs take, are unrolled over the points of q: what belongs to those stays in
/// registers, and their Green's functions overlap in time.
template <int order, bool series, class Real>
__device__ inline void add_far(const Mesh& mesh, const BasicFarPair<Real>& pair,
                               std::uint32_t p, std::uint32_t q, double scale,
                               BasicComplex<Real> (&z)[2][2]) {
  const GaussRule gauss = gauss_rule(order);
  const std::size_t n = mesh.elements;
  constexpr int from = first_point(order), unroll = order <= 3 && !series ? order : 1;
  const double *value_p = mesh.value + from * n + p,
               *derivative_p = mesh.derivative + from * n + p,
               *value_q = mesh.value + from * n + q,
               *derivative_q = mesh.derivative + from * n + q;
  const Real factor = Real(scale * eta0_ohm / (4 * pi)) * pair.k;
#pragma unroll 1
  for (int a = 0; a < order; ++a) {
    BasicFarSum<Real> sum[2];
    const Real s = pair.half_p * Real(1 + gauss.node[a]);
#pragma unroll unroll
    for (int b = 0; b < order; ++b) {
      const BasicComplex<Real> g =
          pair.template greens<series>(s, pair.half_q * Real(1 + gauss.node[b]));
      const int mirror = order - 1 - b;
      sum[0].add(g, Real(value_q[mirror * n]), -Real(derivative_q[mirror * n]));
      sum[1].add(g, Real(value_q[b * n]), Real(derivative_q[b * n]));
    }
    const int mirror = order - 1 - a;
    const Real value_i[2] = {Real(value_p[mirror * n]), Real(value_p[a * n])},
               derivative_i[2] = {-Real(derivative_p[mirror * n]),
                                  Real(derivative_p[a * n])};
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const Real v = factor * pair.cosine * value_i[i], w = factor * derivative_i[i];
#pragma unroll
      for (int j = 0; j < 2; ++j) sum[j].add_to(z[i][j], v, w);
    }
  }
}

template <bool series, class Real>
__device__ inline void add_far(const Mesh& mesh, const BasicFarPair<Real>& pair,
                               std::uint32_t p, std::uint32_t q, int order, double scale,
                               BasicComplex<Real> (&z)[2][2]) {
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
