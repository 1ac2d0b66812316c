#include "kernels/fill/far_pair.h"

#include "kernels/base/constants.h"
#include "kernels/base/simd_clones.h"
#include "kernels/element/far_kernel.h"
#include "kernels/element/shape_point.h"
#include "kernels/element/tube_kernel.h"

namespace thinwire {
namespace {

constexpr std::size_t max_lanes = 2 * PackedTiles::tile;

/// Green's function between one point of p and one point of every lane.
struct LaneGreens {
  alignas(64) double re[max_lanes], im[max_lanes];
};

/// Sums over the points of q, for one point of p: sum_b G value_j and sum_b G slope_j.
struct PointSums {
  alignas(64) double value_re[2][max_lanes], value_im[2][max_lanes];
  alignas(64) double slope_re[2][max_lanes], slope_im[2][max_lanes];
};

/// One Gauss point on p and the constants of its element.
struct PointOfP {
  Vec3 r, t;
  double radius_m;
  double k;
  bool reduced;
};

/// The same Gauss point of every lane from `first` on.
struct LaneGeometry {
  const double *x, *y, *z, *tx, *ty, *tz, *radius;

  /// `at`: of the first lane, an index into `points`.
  LaneGeometry(const TileSide& q, const LanePoints& points, std::size_t at,
               std::size_t first)
      : x(points.x.data() + at),
        y(points.y.data() + at),
        z(points.z.data() + at),
        tx(q.tangent_x.data() + first),
        ty(q.tangent_y.data() + first),
        tz(q.tangent_z.data() + first),
        radius(q.radius_m.data() + first) {}
};

/// Between the point of p and that of lane l.
struct Between {
  double r2, dot_p, dot_q;
  THINWIRE_INLINE Between(const PointOfP& p, const LaneGeometry& q, std::size_t l) {
    const double dx = p.r.x - q.x[l], dy = p.r.y - q.y[l], dz = p.r.z - q.z[l];
    r2 = dx * dx + dy * dy + dz * dz;
    dot_p = dx * p.t.x + dy * p.t.y + dz * p.t.z;
    dot_q = dx * q.tx[l] + dy * q.ty[l] + dz * q.tz[l];
  }
};

/// far_greens between p and the lanes.
THINWIRE_SIMD_CLONES
void far_greens_lanes(const PointOfP& p, const LaneGeometry& q, std::size_t count,
                      LaneGreens& g) {
  const double quarter = p.reduced ? 0.0 : 0.25, half = p.reduced ? 0.5 : 0.0;
  const double a2 = p.radius_m * p.radius_m;
#pragma omp simd
  for (std::size_t l = 0; l < count; ++l) {
    const Between d(p, q, l);
    const double b2 = q.radius[l] * q.radius[l];
    const HdComplex value = far_greens(d.r2, d.dot_p, d.dot_q, p.k,
                                       {quarter * a2, quarter * b2, half * (a2 + b2)});
    g.re[l] = value.re;
    g.im[l] = value.im;
  }
}

/// tube_series in the same place.
THINWIRE_SIMD_CLONES
void tube_series_lanes(const PointOfP& p, const LaneGeometry& q, std::size_t count,
                       LaneGreens& g) {
#pragma omp simd
  for (std::size_t l = 0; l < count; ++l) {
    const Between d(p, q, l);
    const double cosine = p.t.x * q.tx[l] + p.t.y * q.ty[l] + p.t.z * q.tz[l];
    const HdComplex value =
        tube_series(d.r2, d.dot_p, d.dot_q, cosine, p.radius_m, q.radius[l], p.k);
    g.re[l] = value.re;
    g.im[l] = value.im;
  }
}

THINWIRE_SIMD_CLONES
void add_to_sums(const LaneGreens& g, const LanePoints& points, std::size_t at,
                 std::size_t count, PointSums& sums) {
  for (int j = 0; j < 2; ++j) {
    const double* __restrict value = points.value[j].data() + at;
    const double* __restrict slope = points.slope[j].data() + at;
#pragma omp simd
    for (std::size_t l = 0; l < count; ++l) {
      sums.value_re[j][l] += g.re[l] * value[l];
      sums.value_im[j][l] += g.im[l] * value[l];
      sums.slope_re[j][l] += g.re[l] * slope[l];
      sums.slope_im[j][l] += g.im[l] * slope[l];
    }
  }
}

/// z_ij += j factor (t_p . t_q value_i sum_value_j - slope_i sum_slope_j).
THINWIRE_SIMD_CLONES
void add_point(const PointOfP& p, double value_i, double slope_i, const TileSide& q,
               std::size_t first, std::size_t count, int j, const PointSums& sums,
               double* __restrict re, double* __restrict im) {
  const double* __restrict tx = q.tangent_x.data() + first;
  const double* __restrict ty = q.tangent_y.data() + first;
  const double* __restrict tz = q.tangent_z.data() + first;
#pragma omp simd
  for (std::size_t l = 0; l < count; ++l) {
    const double value = value_i * (p.t.x * tx[l] + p.t.y * ty[l] + p.t.z * tz[l]);
    re[l] -= value * sums.value_im[j][l] - slope_i * sums.slope_im[j][l];
    im[l] += value * sums.value_re[j][l] - slope_i * sums.slope_re[j][l];
  }
}

}  // namespace

void add_far_lanes(FarRuleChoice rule, const Element& p, const TileSide& q,
                   std::size_t first, std::size_t last, double k, GreensKernel kernel,
                   double scale, LaneMatrices& out) {
  const std::size_t count = last - first;
  const double factor = scale * k * eta0_ohm / (4 * pi);
  const GaussRule gauss = gauss_rule(rule.order);
  const LanePoints& points = q.points_of(rule.order);
  LaneGreens greens;
  PointSums sums;
  for (int a = 0; a < rule.order; ++a) {
    const ShapePoint at = shape_point(p, gauss, a, k);
    const PointOfP point = {at.position_m, p.tangent, p.radius_m, k,
                            kernel == GreensKernel::reduced};
    for (int j = 0; j < 2; ++j)
      for (std::size_t l = 0; l < count; ++l)
        sums.value_re[j][l] = sums.value_im[j][l] = sums.slope_re[j][l] =
            sums.slope_im[j][l] = 0;
    for (int b = 0; b < rule.order; ++b) {
      const std::size_t from = b * q.lanes + first;
      (rule.series ? tube_series_lanes : far_greens_lanes)(
          point, {q, points, from, first}, count, greens);
      add_to_sums(greens, points, from, count, sums);
    }
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        add_point(point, factor * at.value[i], factor * at.slope[i], q, first, count, j,
                  sums, out.re[i].data() + j * q.lanes + first,
                  out.im[i].data() + j * q.lanes + first);
  }
}

}  // namespace thinwire
