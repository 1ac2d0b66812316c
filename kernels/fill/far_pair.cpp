#include "kernels/fill/far_pair.h"

#include "kernels/base/simd_clones.h"
#include "kernels/element/shape_point.h"
#include "kernels/fill/far_pair_terms.h"

namespace thinwire {
namespace {

constexpr std::size_t max_lanes = 2 * PackedTiles::tile;

/// FarPair of p with each lane, what differs from lane to lane in an array.
struct LanePairs {
  FarPair common;
  alignas(64) double d2[max_lanes], dp[max_lanes], dq[max_lanes], cosine[max_lanes];
  alignas(64) double quarter_b2[max_lanes], reduced_r2[max_lanes];
  const double *half, *radius;

  THINWIRE_INLINE FarPair at(std::size_t l) const {
    return {d2[l],         dp[l],
            dq[l],         cosine[l],
            common.half_p, half[l],
            common.a_p,    radius[l],
            common.k,      {common.radius.quarter_a2, quarter_b2[l], reduced_r2[l]}};
  }
};

THINWIRE_SIMD_CLONES
void make_pairs(const Element& p, const TileSide& q, std::size_t first, std::size_t count,
                double k, bool exact, LanePairs& pairs) {
  const double *x = q.start_x.data() + first, *y = q.start_y.data() + first,
               *z = q.start_z.data() + first, *tx = q.tangent_x.data() + first,
               *ty = q.tangent_y.data() + first, *tz = q.tangent_z.data() + first,
               *length = q.length_m.data() + first, *radius = q.radius_m.data() + first;
  pairs.half = q.half_m.data() + first;
  pairs.radius = radius;
  pairs.common = FarPair::of(p, p, k, exact);
#pragma omp simd
  for (std::size_t l = 0; l < count; ++l) {
    const FarPair pair = FarPair::of(
        p, {{x[l], y[l], z[l]}, {tx[l], ty[l], tz[l]}, length[l], radius[l]}, k, exact);
    pairs.d2[l] = pair.d2;
    pairs.dp[l] = pair.dp;
    pairs.dq[l] = pair.dq;
    pairs.cosine[l] = pair.cosine;
    pairs.quarter_b2[l] = pair.radius.quarter_b2;
    pairs.reduced_r2[l] = pair.radius.reduced_r2;
  }
}

/// FarSum of every lane and j, for one point of p.
struct LaneSums {
  alignas(64) double value_re[2][max_lanes], value_im[2][max_lanes];
  alignas(64) double derivative_re[2][max_lanes], derivative_im[2][max_lanes];
};

/// FarSum::add over the points of q, for the point at a distance s from the start of p.
/// Written out: GCC does not vectorise the loop over lanes where one over j is inside.
/// at: the first lane.
template <bool series>
THINWIRE_INLINE void sum_lanes(const LanePairs& pairs, double s, const GaussRule& gauss,
                               const LanePoints& points, std::size_t at,
                               std::size_t stride, std::size_t count, LaneSums& sums) {
  for (int j = 0; j < 2; ++j)
    for (std::size_t l = 0; l < count; ++l)
      sums.value_re[j][l] = sums.value_im[j][l] = sums.derivative_re[j][l] =
          sums.derivative_im[j][l] = 0;
  for (int b = 0; b < gauss.points; ++b) {
    const double node = 1 + gauss.node[b];
    const double *u0 = points.value[0].data() + b * stride + at,
                 *u1 = points.value[1].data() + b * stride + at,
                 *d0 = points.derivative[0].data() + b * stride + at,
                 *d1 = points.derivative[1].data() + b * stride + at;
#pragma omp simd
    for (std::size_t l = 0; l < count; ++l) {
      const FarPair pair = pairs.at(l);
      const HdComplex g = pair.greens<series>(s, pair.half_q * node);
      sums.value_re[0][l] += u0[l] * g.re;
      sums.value_im[0][l] += u0[l] * g.im;
      sums.value_re[1][l] += u1[l] * g.re;
      sums.value_im[1][l] += u1[l] * g.im;
      sums.derivative_re[0][l] += d0[l] * g.re;
      sums.derivative_im[0][l] += d0[l] * g.im;
      sums.derivative_re[1][l] += d1[l] * g.re;
      sums.derivative_im[1][l] += d1[l] * g.im;
    }
  }
}
THINWIRE_SIMD_CLONES
void sum_far_lanes(const LanePairs& pairs, double s, const GaussRule& gauss,
                   const LanePoints& points, std::size_t at, std::size_t stride,
                   std::size_t count, LaneSums& sums) {
  sum_lanes<false>(pairs, s, gauss, points, at, stride, count, sums);
}
THINWIRE_SIMD_CLONES
void sum_series_lanes(const LanePairs& pairs, double s, const GaussRule& gauss,
                      const LanePoints& points, std::size_t at, std::size_t stride,
                      std::size_t count, LaneSums& sums) {
  sum_lanes<true>(pairs, s, gauss, points, at, stride, count, sums);
}

/// v, w: what u_i and u_i' of the point of p are multiplied with, but for the cosine.
THINWIRE_SIMD_CLONES
void add_point(const LanePairs& pairs, double v, double w, std::size_t count, int j,
               const LaneSums& sums, double* __restrict re, double* __restrict im) {
#pragma omp simd
  for (std::size_t l = 0; l < count; ++l) {
    const FarSum sum = {{sums.value_re[j][l], sums.value_im[j][l]},
                        {sums.derivative_re[j][l], sums.derivative_im[j][l]}};
    HdComplex z = {re[l], im[l]};
    sum.add_to(z, v * pairs.cosine[l], w);
    re[l] = z.re;
    im[l] = z.im;
  }
}

}  // namespace

void add_far_lanes(FarRuleChoice rule, const SideElement& p, const TileSide& q,
                   std::size_t first, std::size_t last, double k, GreensKernel kernel,
                   double scale, LaneMatrices& out) {
  const std::size_t count = last - first;
  const double factor = scale * k * eta0_ohm / (4 * pi);
  const GaussRule gauss = gauss_rule(rule.order);
  const LanePoints& points = q.points_of(rule.order);
  LanePairs pairs;
  make_pairs(p.element, q, first, count, k, kernel == GreensKernel::exact, pairs);
  LaneSums sums;
  for (int a = 0; a < rule.order; ++a) {
    const ShapeValues at = p.shape(gauss, rule.order, a, k);
    const double s = pairs.common.half_p * (1 + gauss.node[a]);
    (rule.series ? sum_series_lanes : sum_far_lanes)(pairs, s, gauss, points, first,
                                                     q.lanes, count, sums);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        add_point(pairs, factor * at.value[i], factor * at.derivative[i], count, j, sums,
                  out.re[i].data() + j * q.lanes + first,
                  out.im[i].data() + j * q.lanes + first);
  }
}

}  // namespace thinwire
