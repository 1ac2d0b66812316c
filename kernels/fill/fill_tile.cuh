#pragma once

#include "kernels/device/complex.cuh"
#include "kernels/element/pair_shape.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/fill/fill_far.cuh"
#include "kernels/fill/fill_ground.cuh"

namespace thinwire::device {

/// z += scale times the matrix of near pair (p, q), as NearPairTable::at finds it.
template <class Real>
__device__ inline void add_near(const DeviceNearPairs::View& near, std::uint32_t p,
                                std::uint32_t q, double scale,
                                BasicComplex<Real> (&z)[2][2]) {
  const bool transposed = q > p;
  const std::uint64_t place =
      place_of_pair(near.row, near.second, transposed ? q : p, transposed ? p : q);
  const ElementMatrix m =
      PairSymmetry::of(near.symmetry[place]).undo(near.matrix[near.of_pair[place]]);
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const HdComplex value = scale * (transposed ? m.z[j][i] : m.z[i][j]);
      z[i][j] += BasicComplex<Real>{Real(value.re), Real(value.im)};
    }
}

/// z += what source s of p (medium.h) and q give, in the precision of z. Eight
/// neighbouring threads hold a group of lanes for one p and take the largest order among
/// them, as fill.cpp does. All threads of a warp call it; `used`: whether q is more than
/// padding.
template <class Real>
__device__ inline void add_pair(const Mesh& mesh, std::uint32_t p_index, int s,
                                std::uint32_t q_index, bool used,
                                BasicComplex<Real> (&z)[2][2]) {
  const Element p = mesh.medium.source(mesh.element(p_index), s);
  const double scale = mesh.medium.factor(s);
  const Element q = mesh.element(q_index);
  const Vec3 between = (p.start_m + 0.5 * p.length_m * p.tangent) -
                       (q.start_m + 0.5 * q.length_m * q.tangent);
  const double distance = norm(between), length = fmax(p.length_m, q.length_m),
               radius = mesh.exact ? fmax(p.radius_m, q.radius_m) : 0;
  const int own = far_order(distance, length, radius, mesh.limit);
  // 16: series
  int choice = own == 0 ? 2 : own;
  if (own != 0 && mesh.exact && wants_series(distance, length, radius, mesh.limit))
    choice |= 16;
  int order = choice & 15;
  for (int bit = 1; bit < lane_group; bit *= 2) {
    order = max(order, __shfl_xor_sync(0xffffffffu, order, bit));
    choice |= __shfl_xor_sync(0xffffffffu, choice & 16, bit);
  }
  if (!used) return;
  if (own == 0) {
    if (mesh.near[s].row) add_near(mesh.near[s], p_index, q_index, scale, z);
    return;
  }
  const auto pair = BasicFarPair<Real>::of(p, q, mesh.k, mesh.exact);
  if (choice & 16)
    add_far<true>(mesh, pair, p_index, q_index, order, scale, z);
  else
    add_far<false>(mesh, pair, p_index, q_index, order, scale, z);
}

/// Computes tile (I, J) into shared memory.
///
///     for a few elements p of the rows at a time:
///       a thread for each pair (p, q), q an element of the columns:
///         element matrix -> batch
///       a thread for each column n and some of the rows m that have a term in p:
///         sum[m][n] += at most 4 entries of batch
///
/// The element matrices of a whole tile at a time would take four times the shared memory
/// that there is.
template <class Entry>
struct SharedTile {
  struct Term {
    std::int16_t lane;
    std::int8_t end, sign;
  };
  Term term[fill_tile][2];  // of the rows
  Entry sum[fill_tile * fill_tile];
  Entry batch[4 * batch_pairs];  // [p][end of p][end of q][q]
};

struct SharedGroundTile : SharedTile<double2> {
  SharedReflections reflections;
};
template <Reflection reflection, class Entry = double2>
using TileMemory = std::conditional_t<reflection == Reflection::none, SharedTile<Entry>,
                                      SharedGroundTile>;

template <Reflection reflection = Reflection::none, class Entry = double2>
__device__ inline void compute_tile(const Mesh& mesh, const Side& rows,
                                    const Side& columns,
                                    TileMemory<reflection, Entry>& shared) {
  using Real = decltype(Entry::x);
  constexpr bool over_ground = reflection != Reflection::none;
  if constexpr (over_ground) {
    find_runs(mesh, rows, columns, shared.reflections);
    __syncthreads();
  }
  const int lanes = columns.lanes, used_p = rows.used_lanes, used_q = columns.used_lanes;
  const int batch = batch_pairs / lanes;
  for (int e = threadIdx.x; e < fill_tile * fill_tile; e += fill_threads)
    shared.sum[e] = {0, 0};
  for (int e = threadIdx.x; e < 2 * fill_tile; e += fill_threads)
    shared.term[e / 2][e % 2] = {rows.term_lane[e / 2][e % 2],
                                 static_cast<std::int8_t>(rows.term_end[e / 2][e % 2]),
                                 rows.term_sign[e / 2][e % 2]};

  // The column of this thread, for the sums.
  constexpr int row_step = fill_threads / fill_tile;
  const int n = threadIdx.x % fill_tile;
  const int at_0 = columns.term_end[n][0] * lanes + columns.term_lane[n][0],
            at_1 = columns.term_end[n][1] * lanes + columns.term_lane[n][1];
  const Real sign_0 = columns.term_sign[n][0], sign_1 = columns.term_sign[n][1];

  for (int first = 0; first < used_p; first += batch) {
    const int end = min(first + batch, used_p);
    const int pairs = (end - first) * lanes;
    if constexpr (over_ground)
      reflect_batch<reflection>(mesh, rows, columns, shared, first, end);
    // Whole warps, for the groups.
    for (int e = threadIdx.x; e < (pairs + 31) / 32 * 32; e += fill_threads) {
      const bool there = e < pairs;
      const int p = there ? e / lanes : 0, q = there ? e % lanes : 0;
      BasicComplex<Real> z[2][2];
      const std::uint32_t p_index = rows.element[first + p], q_index = columns.element[q];
      const bool used = there && q < used_q;
#pragma unroll
      for (int s = 0; s < Medium::max_sources; ++s)
        if (s < mesh.medium.sources()) add_pair(mesh, p_index, s, q_index, used, z);
      if (there)
#pragma unroll
        for (int ends = 0; ends < 4; ++ends) {
          Entry& to = shared.batch[(p * 4 + ends) * lanes + q];
          const Entry value = {z[ends / 2][ends % 2].re, z[ends / 2][ends % 2].im};
          to = over_ground ? to + value : value;
        }
    }
    __syncthreads();
    for (int m = threadIdx.x / fill_tile; m < fill_tile; m += row_step)
#pragma unroll
      for (int t = 0; t < 2; ++t) {
        const auto term = shared.term[m][t];
        const int p = term.lane - first;
        if (term.sign == 0 || p < 0 || p >= end - first) continue;
        const Entry* z = shared.batch + (p * 4 + term.end * 2) * lanes;
        const Entry value = sign_0 * z[at_0] + sign_1 * z[at_1];
        Entry& sum = shared.sum[m * fill_tile + n];
        sum = sum + static_cast<Real>(term.sign) * value;
      }
    __syncthreads();
  }
}

}  // namespace thinwire::device
