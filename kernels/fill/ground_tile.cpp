#include "kernels/fill/ground_tile.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/simd_clones.h"
#include "kernels/fill/far_reflection.h"
#include "kernels/fill/near_ground_pairs.h"

namespace thinwire {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};
/// Elements of one wire lie this exactly in line, over their length and over the size of
/// their coordinates.
constexpr double in_line = 1e-12, rounding = 4e-16;
constexpr std::size_t batch = 64;

bool continues(const Element& first, std::int32_t number, const Element& e) {
  const Vec3 off = e.start_m - (first.start_m + number * first.length_m * first.tangent);
  const Vec3 turn = e.tangent - first.tangent;
  const double most = in_line * first.length_m + rounding * norm(first.start_m);
  return norm(off) <= most && norm(turn) * first.length_m <= most &&
         std::fabs(e.length_m - first.length_m) <= most && e.radius_m == first.radius_m;
}

/// Whether pairs of two runs depend on the numbers' difference (-1) or sum (1) alone, or
/// on both (0).
int step_of(const Element& p, const Element& q) {
  if (std::fabs(p.length_m - q.length_m) > in_line * p.length_m) return 0;
  const auto same = [](const Vec3& a, const Vec3& b) { return norm(a - b) < in_line; };
  const bool parallel = same(p.tangent, q.tangent), opposed = same(p.tangent, -q.tangent);
  if (!parallel && !opposed) return 0;
  if (std::fabs(p.tangent.z) < in_line) return parallel ? -1 : 1;
  if (std::hypot(p.tangent.x, p.tangent.y) < in_line) return parallel ? 1 : -1;
  return 0;
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
  Lanes u[2], u_slope[2], v[2], v_slope[2];
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
                     slope = lanes.u_slope[i][l] * lanes.v_slope[j][l];
        lanes.z_re[2 * i + j][l] += u * vector.re - slope * scalar.re;
        lanes.z_im[2 * i + j][l] += u * vector.im - slope * scalar.im;
      }
  }
}

}  // namespace

GroundTile::Alike GroundTile::runs_of(const TileSide& side) {
  Alike runs;
  for (std::uint32_t lane = 0; lane < side.used_lanes; ++lane) {
    const Element& e = side.elements[lane];
    const std::int32_t number =
        lane == 0 ? 0 : static_cast<std::int32_t>(lane - runs.first.back());
    if (lane == 0 || !continues(side.elements[runs.first.back()], number, e))
      runs.first.push_back(lane);
    runs.run.push_back(static_cast<std::uint32_t>(runs.first.size() - 1));
    runs.number.push_back(static_cast<std::int32_t>(lane - runs.first.back()));
  }
  return runs;
}

/// Sets pairs_ and number_.
void GroundTile::find(const TileSide& rows, const TileSide& columns,
                      std::span<const std::size_t> lanes) {
  const Alike p_runs = runs_of(rows), q_runs = runs_of(columns);
  columns_ = columns.lanes;
  lanes_.assign(lanes.begin(), lanes.end());
  number_.assign(rows.used_lanes * columns_, none);
  pairs_.clear();
  // Of each pair of runs by the difference or the sum of the numbers.
  std::vector<std::uint32_t> alike;
  const std::size_t span = rows.used_lanes + columns.used_lanes;
  for (std::uint32_t a = 0; a < p_runs.first.size(); ++a)
    for (std::uint32_t b = 0; b < q_runs.first.size(); ++b) {
      const int step =
          step_of(rows.elements[p_runs.first[a]], columns.elements[q_runs.first[b]]);
      alike.assign(2 * span, none);
      for (std::uint32_t p = p_runs.first[a]; p < rows.used_lanes && p_runs.run[p] == a;
           ++p)
        for (std::uint32_t q = q_runs.first[b];
             q < std::min(lanes[p], columns.used_lanes) && q_runs.run[q] == b; ++q) {
          std::uint32_t own = none;
          const std::size_t by = span + p_runs.number[p] + step * q_runs.number[q];
          std::uint32_t& number = step == 0 ? own : alike[by];
          if (number == none) {
            number = static_cast<std::uint32_t>(pairs_.size());
            pairs_.push_back({p, q});
          }
          number_[p * columns_ + q] = number;
        }
    }
}

void GroundTile::compute(const TileSide& rows, const TileSide& columns,
                         std::span<const std::size_t> lanes) {
  find(rows, columns, lanes);
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
          lanes.u_slope[i][l] = of_p.slope[i][p];
          lanes.v[i][l] = of_q.value[i][q];
          lanes.v_slope[i][l] = of_q.slope[i][q];
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
