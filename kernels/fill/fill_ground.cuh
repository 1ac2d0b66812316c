#pragma once

#include "kernels/device/tuning.h"
#include "kernels/fill/alike_pairs.h"
#include "kernels/fill/far_reflection.h"
#include "kernels/fill/fill_mesh.cuh"
#include "kernels/fill/near_ground_pairs.h"

namespace thinwire::device {

/// z += what the ground reflects between near pair (p, q), as NearGroundPairs::at finds
/// it.
__device__ inline void add_near_reflection(const GroundMesh& ground, std::uint32_t p,
                                           std::uint32_t q, HdComplex (&z)[2][2]) {
  const bool transposed = q > p;
  const std::uint64_t place =
      place_of_pair(ground.row, ground.second, transposed ? q : p, transposed ? p : q);
  const ElementMatrix m = ground.matrix[ground.of_pair[place]];
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) z[i][j] += transposed ? m.z[j][i] : m.z[i][j];
}

/// The table's polynomials in single precision, c: [terms][8].
__device__ inline void polynomial(const float* c, float x, float y, float (&sum)[8]) {
  constexpr int degree = GroundTableView::degree;
  const float4* next = reinterpret_cast<const float4*>(c);
#pragma unroll
  for (int n = 0; n < 8; ++n) sum[n] = 0;
#pragma unroll
  for (int j = degree; j >= 0; --j) {
    float row[8] = {};
#pragma unroll
    for (int i = degree - j; i >= 0; --i, next += 2) {
      const float4 low = __ldg(next), high = __ldg(next + 1);
      const float some[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
      for (int n = 0; n < 8; ++n) row[n] = fmaf(x, row[n], some[n]);
    }
#pragma unroll
    for (int n = 0; n < 8; ++n) sum[n] = fmaf(y, sum[n], row[n]);
  }
}

/// The kernels at a place (FarReflection::kernels), g being that of the image: what comes
/// beside the image in double precision, or in single, to 1e-7 of the image.
template <Reflection reflection>
__device__ inline FarReflection::Kernels reflected(const GroundMesh& ground,
                                                   const FarReflection& pair,
                                                   const FarReflection::Place& place,
                                                   HdComplex g) {
  if constexpr (reflection == Reflection::in_double) {
    EightSums over_g;
    ground.table.over_g(place.rho, place.zeta, over_g);
    return pair.kernels(place, g, over_g, ground.c0);
  }
  const GroundTableView::Spot at = ground.table.find(place.rho, place.zeta);
  float over_g[8];
  polynomial(ground.single + at.cell * (8 * GroundTableView::terms),
             static_cast<float>(at.x), static_cast<float>(at.y), over_g);
  const double kr2 = place.rho * place.rho + place.zeta * place.zeta,
               inverse = rsqrt(kr2), half_turns = kr2 * inverse / pi;
  float sine, cosine;
  sincospif(static_cast<float>(half_turns - 2 * rint(0.5 * half_turns)), &sine, &cosine);
  const float size = static_cast<float>(pair.image.k * inverse), re = size * cosine,
              im = -size * sine;
  const double horizontal = pair.tp.x * pair.tq.x + pair.tp.y * pair.tq.y,
               vertical = pair.tp.z * pair.tq.z;
  const float h = static_cast<float>(horizontal), v = static_cast<float>(vertical),
              mixed = static_cast<float>(place.mixed);
  const float rest_re = h * over_g[0] + v * over_g[4] + mixed * over_g[6],
              rest_im = h * over_g[1] + v * over_g[5] + mixed * over_g[7];
  const HdComplex of_image = ground.c0 * g;
  const double image = vertical - horizontal;
  return {{re * rest_re - im * rest_im + image * of_image.re,
           re * rest_im + im * rest_re + image * of_image.im},
          {re * over_g[2] - im * over_g[3] - of_image.re,
           re * over_g[3] + im * over_g[2] - of_image.im}};
}

/// z += what the ground reflects between far elements number p and q, as GroundTile has
/// it: what pairs of points number `part`, part + parts, .. give.
template <bool series, Reflection reflection>
__device__ inline void add_far_reflection(const Mesh& mesh, const FarReflection& pair,
                                          std::uint32_t p, std::uint32_t q, int order,
                                          int part, int parts, HdComplex (&z)[2][2]) {
  const GaussRule gauss = gauss_rule(order);
  const std::size_t n = mesh.elements;
  const int from = first_point(order);
  const double *value_p = mesh.value + from * n + p,
               *derivative_p = mesh.derivative + from * n + p,
               *value_q = mesh.value + from * n + q,
               *derivative_q = mesh.derivative + from * n + q;
#pragma unroll 1
  for (int point = part; point < order * order; point += parts) {
    const int a = point / order, b = point - a * order, a_mirror = order - 1 - a,
              b_mirror = order - 1 - b;
    const double s = pair.image.half_p * (1 + gauss.node[a]),
                 t = pair.image.half_q * (1 + gauss.node[b]);
    const auto [vector, scalar] = reflected<reflection>(
        mesh.ground, pair, pair.place(s, t), pair.image.greens<series>(s, t));
    const double u[2] = {value_p[a_mirror * n], value_p[a * n]},
                 u_derivative[2] = {-derivative_p[a_mirror * n], derivative_p[a * n]},
                 v[2] = {value_q[b_mirror * n], value_q[b * n]},
                 v_derivative[2] = {-derivative_q[b_mirror * n], derivative_q[b * n]};
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const double value = u[i] * v[j], derivative = u_derivative[i] * v_derivative[j];
        z[i][j].re += value * vector.re - derivative * scalar.re;
        z[i][j].im += value * vector.im - derivative * scalar.im;
      }
  }
  // Times j k eta0 / (4 pi).
  const double factor = mesh.k * eta0_ohm / (4 * pi);
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) z[i][j] = {-factor * z[i][j].im, factor * z[i][j].re};
}

/// Part number `part` of `parts` of what the ground reflects between p and q, image
/// included; all parts together are the whole.
template <Reflection reflection>
__device__ inline void reflect(const Mesh& mesh, std::uint32_t p_index,
                               std::uint32_t q_index, int part, int parts,
                               HdComplex (&z)[2][2]) {
  const Element p = mesh.element(p_index), q = mesh.element(q_index);
  const int order = reflection_order(p, q, mesh.ground.waves, mesh.exact);
  if (order == 0) {
    if (part == 0 && mesh.ground.row)
      add_near_reflection(mesh.ground, p_index, q_index, z);
    return;
  }
  const FarReflection pair = FarReflection::of(p, q, mesh.k, mesh.exact);
  if (reflection_wants_series(p, q, mesh.k, mesh.exact))
    add_far_reflection<true, reflection>(mesh, pair, p_index, q_index, order, part, parts,
                                         z);
  else
    add_far_reflection<false, reflection>(mesh, pair, p_index, q_index, order, part,
                                          parts, z);
}

/// Shared memory of a batch of pairs of a tile (fill_tile.cuh) while its reflections are
/// computed.
struct SharedReflections {
  // Lanes of the same run that stand before and behind a lane in its side.
  std::uint8_t before[2][max_lanes], behind[2][max_lanes];
  std::uint16_t chosen[batch_pairs];  // one of each kind of pairs
  int chosen_of_warp[batch_pairs / 32 + 1];
};

/// Sets before and behind; all threads call it, and meet later.
__device__ inline void find_runs(const Mesh& mesh, const Side& rows, const Side& columns,
                                 SharedReflections& shared) {
  const std::uint32_t* run = mesh.ground.run;
  for (int at = threadIdx.x; at < 2 * max_lanes; at += fill_threads) {
    const Side& side = at < max_lanes ? rows : columns;
    const int lane = at % max_lanes, used = side.used_lanes;
    if (lane >= used) continue;
    const auto alike = [&](int other, int offset) {
      return run && side.element[other] == side.element[lane] + offset &&
             run[side.element[other]] == run[side.element[lane]];
    };
    int before = 0, behind = 0;
    while (before < lane && alike(lane - before - 1, -before - 1)) ++before;
    while (lane + behind + 1 < used && alike(lane + behind + 1, behind + 1)) ++behind;
    shared.before[at / max_lanes][lane] = static_cast<std::uint8_t>(before);
    shared.behind[at / max_lanes][lane] = static_cast<std::uint8_t>(behind);
  }
}

/// The first pair of the batch that lies like pair (p, q), p counted from the batch's
/// first (alike_pairs.h), as p * lanes + q.
__device__ inline int first_alike(const Mesh& mesh, const Side& rows, const Side& columns,
                                  const SharedReflections& shared, int first, int p,
                                  int q) {
  const int step =
      alike_step(mesh.element(rows.element[first + p]), mesh.element(columns.element[q]));
  const int back = min(p, static_cast<int>(shared.before[0][first + p]));
  const int m = step == 0 ? 0
                          : min(back, static_cast<int>(step < 0 ? shared.before[1][q]
                                                                : shared.behind[1][q]));
  return (p - m) * static_cast<int>(columns.lanes) + q + step * m;
}

/// The pairs of a batch that each thread has, one after another.
inline constexpr int pairs_a_thread = batch_pairs / fill_threads;
static_assert(batch_pairs % fill_threads == 0);

/// Sets shared.batch to what the ground reflects; rows first .. end - 1.
///
///     every pair:  is it the first of its kind?  a list of those that are
///     the list, shared out among all threads:  reflection -> batch
///     every pair:  reads that of the first of its kind; then all write their own
///
/// Afterwards a thread may read and write its own pairs, tid + i fill_threads, without
/// waiting for the others.
template <Reflection reflection, class Shared>
__device__ inline void reflect_batch(const Mesh& mesh, const Side& rows,
                                     const Side& columns, Shared& shared, int first,
                                     int end) {
  const int lanes = columns.lanes, used_q = columns.used_lanes,
            pairs = (end - first) * lanes, warp = threadIdx.x / 32,
            lane = threadIdx.x % 32;
  constexpr int warps = fill_threads / 32;
  SharedReflections& own = shared.reflections;
  int like[pairs_a_thread];
  unsigned chosen[pairs_a_thread];
#pragma unroll
  for (int i = 0; i < pairs_a_thread; ++i) {
    const int e = threadIdx.x + i * fill_threads;
    like[i] = -1;
    if (e < pairs && e % lanes < used_q)
      like[i] = first_alike(mesh, rows, columns, own, first, e / lanes, e % lanes);
    chosen[i] = __ballot_sync(0xffffffffu, like[i] == e);
    if (lane == 0) own.chosen_of_warp[i * warps + warp] = __popc(chosen[i]);
  }
  __syncthreads();
  int count = 0;
#pragma unroll
  for (int i = 0; i < pairs_a_thread; ++i)
    for (int w = 0; w < warps; ++w) {
      if (w == warp && like[i] == static_cast<int>(threadIdx.x) + i * fill_threads)
        own.chosen[count + __popc(chosen[i] & ((1u << lane) - 1))] =
            static_cast<std::uint16_t>(like[i]);
      count += own.chosen_of_warp[i * warps + w];
    }
  __syncthreads();
  // Up to eight threads a pair where there are few; whole warps.
  int parts = 8;
  while (parts > 1 && parts * count > fill_threads) parts /= 2;
  for (int t = threadIdx.x; t < (parts * count + 31) / 32 * 32; t += fill_threads) {
    const bool there = t < parts * count;
    const int e = there ? own.chosen[t / parts] : 0, p = e / lanes, q = e % lanes;
    HdComplex z[2][2];
    if (there)
      reflect<reflection>(mesh, rows.element[first + p], columns.element[q], t % parts,
                          parts, z);
#pragma unroll
    for (int ends = 0; ends < 4; ++ends) {
      HdComplex& sum = z[ends / 2][ends % 2];
      for (int bit = 1; bit < parts; bit *= 2)
        sum += {__shfl_xor_sync(0xffffffffu, sum.re, bit),
                __shfl_xor_sync(0xffffffffu, sum.im, bit)};
      if (there && t % parts == 0)
        shared.batch[(p * 4 + ends) * lanes + q] = {sum.re, sum.im};
    }
  }
  __syncthreads();
  double2 z[pairs_a_thread][4] = {};
#pragma unroll
  for (int i = 0; i < pairs_a_thread; ++i) {
    if (like[i] < 0) continue;
    const int p = like[i] / lanes, q = like[i] % lanes;
#pragma unroll
    for (int ends = 0; ends < 4; ++ends)
      z[i][ends] = shared.batch[(p * 4 + ends) * lanes + q];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < pairs_a_thread; ++i) {
    const int e = threadIdx.x + i * fill_threads, p = e / lanes, q = e % lanes;
    if (e >= pairs) continue;
#pragma unroll
    for (int ends = 0; ends < 4; ++ends)
      shared.batch[(p * 4 + ends) * lanes + q] = z[i][ends];
  }
}

}  // namespace thinwire::device
