#pragma once

#include "kernels/element/quadrature_order.h"
#include "kernels/fill/far_reflection.h"
#include "kernels/fill/fill_mesh.cuh"
#include "kernels/fill/near_ground_pairs.h"

namespace thinwire::device {

/// z += what the ground reflects between near pair (p, q), as NearGroundPairs::at finds
/// it.
__device__ inline void add_near_reflection(const GroundMesh& ground, std::uint32_t p,
                                           std::uint32_t q, HdComplex (&z)[2][2]) {
  const bool transposed = q > p;
  const std::uint32_t row = transposed ? q : p, column = transposed ? p : q;
  std::uint64_t low = ground.row[row], high = ground.row[row + 1];
  while (low + 1 < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (ground.second[middle] <= column)
      low = middle;
    else
      high = middle;
  }
  const ElementMatrix m = ground.matrix[ground.of_pair[low]];
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) z[i][j] += transposed ? m.z[j][i] : m.z[i][j];
}

/// z += what the ground reflects between far elements number p and q, as GroundTile has
/// it. Neighbouring threads have neighbouring elements, which mostly look into one cell
/// of the table.
template <bool series>
__device__ inline void add_far_reflection(const Mesh& mesh, const FarReflection& pair,
                                          std::uint32_t p, std::uint32_t q, int order,
                                          HdComplex (&z)[2][2]) {
  const GroundMesh& ground = mesh.ground;
  const GaussRule gauss = gauss_rule(order);
  const std::size_t n = mesh.elements;
  const int from = first_point(order);
  const double *value_p = mesh.value + from * n + p, *slope_p = mesh.slope + from * n + p,
               *value_q = mesh.value + from * n + q, *slope_q = mesh.slope + from * n + q;
  const double factor = mesh.k * eta0_ohm / (4 * pi);
#pragma unroll 1
  for (int a = 0; a < order; ++a) {
    FarSum sum[2];
    const double s = pair.image.half_p * (1 + gauss.node[a]);
#pragma unroll 1
    for (int b = 0; b < order; ++b) {
      const double t = pair.image.half_q * (1 + gauss.node[b]);
      const FarReflection::Place place = pair.place(s, t);
      EightSums over_g;
      ground.table.over_g(place.rho, place.zeta, over_g);
      const auto [vector, scalar] =
          pair.kernels(place, pair.image.greens<series>(s, t), over_g, ground.c0);
      const int mirror = order - 1 - b;
      sum[0].value += value_q[mirror * n] * vector;
      sum[1].value += value_q[b * n] * vector;
      sum[0].slope += -slope_q[mirror * n] * scalar;
      sum[1].slope += slope_q[b * n] * scalar;
    }
    const int mirror = order - 1 - a;
    const double value_i[2] = {value_p[mirror * n], value_p[a * n]},
                 slope_i[2] = {-slope_p[mirror * n], slope_p[a * n]};
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j)
        sum[j].add_to(z[i][j], factor * value_i[i], factor * slope_i[i]);
  }
}

/// z += what the ground reflects between p and q, image included.
__device__ inline void add_reflection(const Mesh& mesh, std::uint32_t p_index,
                                      std::uint32_t q_index, HdComplex (&z)[2][2]) {
  const Element p = mesh.element(p_index), q = mesh.element(q_index);
  const int order = reflection_order(p, q, mesh.ground.waves, mesh.exact);
  if (order == 0) return add_near_reflection(mesh.ground, p_index, q_index, z);
  const FarReflection pair = FarReflection::of(p, q, mesh.k, mesh.exact);
  if (reflection_wants_series(p, q, mesh.k, mesh.exact))
    add_far_reflection<true>(mesh, pair, p_index, q_index, order, z);
  else
    add_far_reflection<false>(mesh, pair, p_index, q_index, order, z);
}

}  // namespace thinwire::device
