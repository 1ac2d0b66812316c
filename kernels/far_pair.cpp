#include "kernels/far_pair.h"

#include "kernels/constants.h"
#include "kernels/far_kernel.h"
#include "kernels/shape_point.h"
#include "kernels/simd_clones.h"

namespace thinwire {
namespace {

constexpr std::size_t max_lanes = 2 * PackedTiles::tile;

/// Sums over the points of q, for one point of p: sum_b G value_j and sum_b G slope_j.
struct PointSums {
  alignas(64) double value_re[2][max_lanes], value_im[2][max_lanes];
  alignas(64) double slope_re[2][max_lanes], slope_im[2][max_lanes];
};

/// One Gauss point on p and the constants of its element.
struct PointOfP {
  double x, y, z;
  double tx, ty, tz;
  double quarter_a2, reduced_a2;
  double k;
};

THINWIRE_SIMD_CLONES
void sum_over_q(int order, const PointOfP& p, const TileSide& q, const LanePoints& points,
                std::size_t first, std::size_t count, bool reduced, PointSums& sums) {
  for (int j = 0; j < 2; ++j)
    for (std::size_t l = 0; l < count; ++l)
      sums.value_re[j][l] = sums.value_im[j][l] = sums.slope_re[j][l] =
          sums.slope_im[j][l] = 0;
  const double* __restrict tx = q.tangent_x.data() + first;
  const double* __restrict ty = q.tangent_y.data() + first;
  const double* __restrict tz = q.tangent_z.data() + first;
  const double* __restrict radius = q.radius_m.data() + first;
  const double exact_part = reduced ? 0.0 : 0.25, reduced_part = reduced ? 0.5 : 0.0;
  for (int b = 0; b < order; ++b) {
    const std::size_t at = b * q.lanes + first;
    const double* __restrict x = points.x.data() + at;
    const double* __restrict y = points.y.data() + at;
    const double* __restrict z = points.z.data() + at;
    const double* __restrict value_0 = points.value[0].data() + at;
    const double* __restrict value_1 = points.value[1].data() + at;
    const double* __restrict slope_0 = points.slope[0].data() + at;
    const double* __restrict slope_1 = points.slope[1].data() + at;
#pragma omp simd
    for (std::size_t l = 0; l < count; ++l) {
      const double dx = p.x - x[l], dy = p.y - y[l], dz = p.z - z[l];
      const double dot_p = dx * p.tx + dy * p.ty + dz * p.tz;
      const double dot_q = dx * tx[l] + dy * ty[l] + dz * tz[l];
      const double b2 = radius[l] * radius[l];
      const HdComplex g =
          far_greens(dx, dy, dz, dot_p, dot_q, p.k,
                     {p.quarter_a2, exact_part * b2, p.reduced_a2 + reduced_part * b2});
      sums.value_re[0][l] += g.re * value_0[l];
      sums.value_im[0][l] += g.im * value_0[l];
      sums.value_re[1][l] += g.re * value_1[l];
      sums.value_im[1][l] += g.im * value_1[l];
      sums.slope_re[0][l] += g.re * slope_0[l];
      sums.slope_im[0][l] += g.im * slope_0[l];
      sums.slope_re[1][l] += g.re * slope_1[l];
      sums.slope_im[1][l] += g.im * slope_1[l];
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
    const double value = value_i * (p.tx * tx[l] + p.ty * ty[l] + p.tz * tz[l]);
    re[l] -= value * sums.value_im[j][l] - slope_i * sums.slope_im[j][l];
    im[l] += value * sums.value_re[j][l] - slope_i * sums.slope_re[j][l];
  }
}

}  // namespace

void add_far_lanes(int order, const Element& p, const TileSide& q, std::size_t first,
                   std::size_t last, double k, GreensKernel kernel, double scale,
                   LaneMatrices& out) {
  const bool reduced = kernel == GreensKernel::reduced;
  const double a2 = p.radius_m * p.radius_m;
  const double factor = scale * k * eta0_ohm / (4 * pi);
  PointSums sums;
  for (int a = 0; a < order; ++a) {
    const ShapePoint at = shape_point(p, gauss_rule(order), a, k);
    const PointOfP point = {at.position_m.x,
                            at.position_m.y,
                            at.position_m.z,
                            p.tangent.x,
                            p.tangent.y,
                            p.tangent.z,
                            reduced ? 0.0 : 0.25 * a2,
                            reduced ? 0.5 * a2 : 0.0,
                            k};
    sum_over_q(order, point, q, q.points_of(order), first, last - first, reduced, sums);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        add_point(point, factor * at.value[i], factor * at.slope[i], q, first,
                  last - first, j, sums, out.re[i].data() + j * q.lanes + first,
                  out.im[i].data() + j * q.lanes + first);
  }
}

}  // namespace thinwire
