#include "kernels/fill/ground_tile.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/simd_clones.h"
#include "kernels/fill/alike_pairs.h"
#include "kernels/fill/far_reflection.h"
#include "kernels/fill/near_ground_pairs.h"

namespace thinwire {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};
constexpr std::size_t batch = 64;

/// The run of a lane begins at the lane of the same number or before.
std::vector<std::uint32_t> runs_of(const TileSide& side) {
  return straight_runs(std::span(side.elements).first(side.used_lanes));
}

/// Pairs side by side, and what a pair of points has: [lane].
struct LanePairs {
  struct alignas(64) Lanes {
    double lane[batch];
    double& operator[](std::size_t l) { return lane[l]; }
    double operator[](std::size_t l) const { return lane[l]; }
  };
  Lanes d2, dp, dq, cosine, half_p, half_q, a_p, a_q, quarter_a2, quarter_b2, reduced_r2;
  Lanes x, y, z, tp_x, tp_y, tp_z, tq_x, tq_y, tq_z;
  double k;
  Lanes u[2], u_derivative[2], v[2], v_derivative[2];
  Lanes rho, zeta, mixed, g_re, g_im, over_g[8];
  Lanes z_re[4], z_im[4];

  void set(std::size_t l, const FarReflection& pair) {
    const FarPair& image = pair.image;
    d2[l] = image.d2;
    dp[l] = image.dp;
    dq[l] = image.dq;
    cosine[l] = image.cosine;
    half_p[l] = image.half_p;
    half_q[l] = image.half_q;
    a_p[l] = image.a_p;
    a_q[l] = image.a_q;
    quarter_a2[l] = image.radius.quarter_a2;
    quarter_b2[l] = image.radius.quarter_b2;
    reduced_r2[l] = image.radius.reduced_r2;
    x[l] = pair.x;
    y[l] = pair.y;
    z[l] = pair.z;
    tp_x[l] = pair.tp.x;
    tp_y[l] = pair.tp.y;
    tp_z[l] = pair.tp.z;
    tq_x[l] = pair.tq.x;
    tq_y[l] = pair.tq.y;
    tq_z[l] = pair.tq.z;
    k = image.k;
    for (int e = 0; e < 4; ++e) z_re[e][l] = z_im[e][l] = 0;
  }
  THINWIRE_INLINE FarReflection at(std::size_t l) const {
    return {{d2[l],
             dp[l],
             dq[l],
             cosine[l],
             half_p[l],
             half_q[l],
             a_p[l],
             a_q[l],
             k,
             {quarter_a2[l], quarter_b2[l], reduced_r2[l]}},
            x[l],
            y[l],
            z[l],
            {tp_x[l], tp_y[l], tp_z[l]},
            {tq_x[l], tq_y[l], tq_z[l]}};
  }
};

template <bool series>
THINWIRE_INLINE void find_places(LanePairs& lanes, double node_p, double node_q,
                                 std::size_t count) {
#pragma omp simd
  for (std::size_t l = 0; l < count; ++l) {
    const FarReflection pair = lanes.at(l);
    const double s = pair.image.half_p * (1 + node_p),
                 t = pair.image.half_q * (1 + node_q);
    const HdComplex g = pair.image.greens<series>(s, t);
    const FarReflection::Place place = pair.place(s, t);
    lanes.g_re[l] = g.re;
    lanes.g_im[l] = g.im;
    lanes.rho[l] = place.rho;
    lanes.zeta[l] = place.zeta;
    lanes.mixed[l] = place.mixed;
  }
}
THINWIRE_SIMD_CLONES
void places(LanePairs& lanes, double node_p, double node_q, std::size_t count) {
  find_places<false>(lanes, node_p, node_q, count);
}
THINWIRE_SIMD_CLONES
void tube_places(LanePairs& lanes, double node_p, double node_q, std::size_t count) {
  find_places<true>(lanes, node_p, node_q, count);
}

THINWIRE_SIMD_CLONES
void look_up(LanePairs& lanes, const GroundTableView& table, std::size_t count) {
  for (std::size_t l = 0; l < count; ++l) {
    EightSums over_g;
    table.over_g(lanes.rho[l], lanes.zeta[l], over_g);
    for (int n = 0; n < 8; ++n) lanes.over_g[n][l] = over_g[n];
  }
}

THINWIRE_SIMD_CLONES
void add_points(LanePairs& lanes, HdComplex c0, std::size_t count) {
#pragma omp simd
  for (std::size_t l = 0; l < count; ++l) {
    double over_g[8];
    for (int n = 0; n < 8; ++n) over_g[n] = lanes.over_g[n][l];
    const auto [vector, scalar] =
        lanes.at(l).kernels({lanes.rho[l], lanes.zeta[l], lanes.mixed[l]},
                            {lanes.g_re[l], lanes.g_im[l]}, over_g, c0);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        const double u = lanes.u[i][l] * lanes.v[j][l],
                     derivative = lanes.u_derivative[i][l] * lanes.v_derivative[j][l];
        lanes.z_re[2 * i + j][l] += u * vector.re - derivative * scalar.re;
        lanes.z_im[2 * i + j][l] += u * vector.im - derivative * scalar.im;
      }
  }
}

}  // namespace

/// Sets pairs_ and number_.
void GroundTile::find(const TileSide& rows, const TileSide& columns,
                      std::span<const std::size_t> lanes,
                      std::span<const std::uint8_t> wanted) {
  const std::vector<std::uint32_t> p_run = runs_of(rows), q_run = runs_of(columns);
  columns_ = columns.lanes;
  lanes_.assign(lanes.begin(), lanes.end());
  number_.assign(rows.used_lanes * columns_, none);
  pairs_.clear();
  std::vector<std::uint32_t> alike;
  for (std::uint32_t p_first = 0; p_first < rows.used_lanes; ++p_first)
    for (std::uint32_t q_first = 0; q_first < columns.used_lanes; ++q_first) {
      if (p_run[p_first] != p_first || q_run[q_first] != q_first) continue;
      const int step = alike_step(rows.elements[p_first], columns.elements[q_first]);
      // By the difference or the sum of the numbers.
      alike.assign(rows.used_lanes + 2 * columns.used_lanes, none);
      for (std::uint32_t p = p_first; p < rows.used_lanes && p_run[p] == p_first; ++p) {
        if (is_below(rows.elements[p])) continue;
        const std::size_t end = std::min(lanes[p], columns.used_lanes);
        for (std::uint32_t q = q_first; q < end && q_run[q] == q_first; ++q) {
          if (is_below(columns.elements[q]) || (!wanted.empty() && !wanted[q])) continue;
          const std::size_t first_number = columns.used_lanes + p - p_first;
          std::uint32_t own = none;
          std::uint32_t& number = step == 0
                                      ? own
                                      : alike[step > 0 ? first_number + (q - q_first)
                                                       : first_number - (q - q_first)];
          if (number == none) {
            number = static_cast<std::uint32_t>(pairs_.size());
            pairs_.push_back({p, q});
          }
          number_[p * columns_ + q] = number;
        }
      }
    }
}

void GroundTile::compute(const TileSide& rows, const TileSide& columns,
                         std::span<const std::size_t> lanes,
                         std::span<const std::uint8_t> wanted) {
  find(rows, columns, lanes, wanted);
  matrices_.resize(pairs_.size());
  const GroundWaves waves = waves_of(*input_.ground);
  const bool exact = input_.kernel == GreensKernel::exact;
  constexpr int orders[] = {2, 3, 4, 6};
  std::vector<std::uint32_t> of_rule[4][2];
  for (std::uint32_t n = 0; n < pairs_.size(); ++n) {
    const auto [p, q] = pairs_[n];
    const Element &of_p = rows.elements[p], &of_q = columns.elements[q];
    const int order = reflection_order(of_p, of_q, waves, exact);
    if (order == 0) {
      const std::uint32_t p_index = rows.element_index[p],
                          q_index = columns.element_index[q];
      matrices_[n] = input_.near_reflection(p_index, q_index);
      continue;
    }
    const bool series = reflection_wants_series(of_p, of_q, input_.k_rad_per_m, exact);
    of_rule[order == 6 ? 3 : order - 2][series].push_back(n);
  }
  for (int i = 0; i < 4; ++i)
    for (const bool series : {false, true}) {
      const std::vector<std::uint32_t>& all = of_rule[i][series];
      for (std::size_t from = 0; from < all.size(); from += batch)
        compute_far(rows, columns, {orders[i], series},
                    std::span(all).subspan(from, std::min(batch, all.size() - from)));
    }
}

void GroundTile::compute_far(const TileSide& rows, const TileSide& columns,
                             FarRuleChoice rule, std::span<const std::uint32_t> numbers) {
  const double k = input_.k_rad_per_m;
  const bool exact = input_.kernel == GreensKernel::exact;
  const Complex strength = image_strength(input_.ground->eps);
  const HdComplex c0 = {strength.real(), strength.imag()};
  const GaussRule gauss = gauss_rule(rule.order);
  const std::size_t count = numbers.size();
  LanePairs lanes;
  for (std::size_t l = 0; l < count; ++l) {
    const auto [p, q] = pairs_[numbers[l]];
    lanes.set(l, FarReflection::of(rows.elements[p], columns.elements[q], k, exact));
  }
  const LanePoints &of_p = rows.points_of(rule.order),
                   &of_q = columns.points_of(rule.order);
  for (int a = 0; a < rule.order; ++a)
    for (int b = 0; b < rule.order; ++b) {
      for (std::size_t l = 0; l < count; ++l) {
        const std::size_t p = a * rows.lanes + pairs_[numbers[l]].p,
                          q = b * columns.lanes + pairs_[numbers[l]].q;
        for (int i = 0; i < 2; ++i) {
          lanes.u[i][l] = of_p.value[i][p];
          lanes.u_derivative[i][l] = of_p.derivative[i][p];
          lanes.v[i][l] = of_q.value[i][q];
          lanes.v_derivative[i][l] = of_q.derivative[i][q];
        }
      }
      (rule.series ? tube_places : places)(lanes, gauss.node[a], gauss.node[b], count);
      look_up(lanes, input_.ground->table, count);
      add_points(lanes, c0, count);
    }
  // Times j k eta0 / (4 pi).
  const double factor = k * eta0_ohm / (4 * pi);
  for (std::size_t l = 0; l < count; ++l)
    for (int e = 0; e < 4; ++e)
      matrices_[numbers[l]].z[e / 2][e % 2] = {-factor * lanes.z_im[e][l],
                                               factor * lanes.z_re[e][l]};
}

void GroundTile::add_to(std::size_t p, LaneMatrices& to) const {
  const std::uint32_t* number = number_.data() + p * columns_;
  for (std::size_t q = 0; q < std::min(lanes_[p], columns_); ++q) {
    if (number[q] == none) continue;
    const ElementMatrix& m = matrices_[number[q]];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        to.re[i][j * columns_ + q] += m.z[i][j].re;
        to.im[i][j * columns_ + q] += m.z[i][j].im;
      }
  }
}

}  // namespace thinwire
