#include "kernels/fill/far_below.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/exp.h"
#include "kernels/base/simd_clones.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/far_kernel.h"
#include "kernels/element/medium.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/element/shape_point.h"

namespace thinwire {
namespace {

constexpr int max_points = 6, max_pairs = max_points * max_points;
/// The direct wave has died down, to 1e-9.
constexpr double dead_nats = 21;

/// Between the points of two elements, and Green's function there: [pair of points].
struct PointPairs {
  alignas(64) double x[max_pairs], y[max_pairs], z[max_pairs];
  alignas(64) double re[max_pairs], im[max_pairs];
};

/// far_greens (far_kernel.h) in a medium with loss.
THINWIRE_SIMD_CLONES
void find_greens(HdComplex k, const RadiusTerms<double>& radius, const Vec3& tp,
                 const Vec3& tq, int count, PointPairs& pairs) {
  const HdComplex k2 = k * k;
#pragma omp simd
  for (int n = 0; n < count; ++n) {
    const double x = pairs.x[n], y = pairs.y[n], z = pairs.z[n];
    const double dot_p = x * tp.x + y * tp.y + z * tp.z,
                 dot_q = x * tq.x + y * tq.y + z * tq.z;
    const double r2 = x * x + y * y + z * z + radius.reduced_r2;
    const double inverse = inverse_sqrt(r2), r = r2 * inverse,
                 inverse2 = inverse * inverse;
    const double all = radius.quarter_a2 + radius.quarter_b2;
    const double along =
        (radius.quarter_a2 * dot_p * dot_p + radius.quarter_b2 * dot_q * dot_q) *
        inverse2;
    const double static_part = (3 * along - all) * inverse2, wave_part = all - along;
    const double re = 1 - static_part * (1 - k.im * r) - k2.re * wave_part;
    const double im = -static_part * k.re * r - k2.im * wave_part;
    double sine, cosine;
    sincos_simd(k.re * r, sine, cosine);
    const double size = inverse * exp_simd(k.im * r);
    pairs.re[n] = size * (cosine * re + sine * im);
    pairs.im[n] = size * (cosine * im - sine * re);
  }
}

/// Looks up what the surface reflects beside the image, times 1/k, at the places of the
/// image.
THINWIRE_SIMD_CLONES
void look_up(const GroundTableView& table, double k, const PointPairs& image, int count,
             ReflectedKernels* rest, double* rho) {
  for (int n = 0; n < count; ++n) {
    rho[n] = std::sqrt(image.x[n] * image.x[n] + image.y[n] * image.y[n]);
    rest[n] = table.at(k * rho[n], k * image.z[n]);
  }
}

}  // namespace

FarBelow::FarBelow(const GroundAt& ground, GreensKernel kernel)
    : ground_(ground),
      waves_(waves_of(ground)),
      exact_(kernel == GreensKernel::exact),
      k2_(to_hd(ground.k_rad_per_m * std::sqrt(ground.eps))),
      over_eps_(to_hd(1.0 / ground.eps)),
      image_(to_hd(image_strength(ground.eps))),
      image_over_eps_(to_hd(image_strength(ground.eps) / ground.eps)),
      dead_m_(dead_nats / -k2_.im) {}

int FarBelow::order(const Element& p, const Element& q) const {
  // Images are as far as the elements, or farther.
  const double distance = norm(centre_of(p) - centre_of(q)),
               length = std::max(p.length_m, q.length_m),
               radius = exact_ ? std::max(p.radius_m, q.radius_m) : 0,
               k = std::max(waves_.above, waves_.below);
  const int reflected = ground_order(distance, length, waves_);
  if (distance > dead_m_ + p.length_m + q.length_m) return reflected;
  if (wants_series(distance, length, radius, k)) return 0;
  const int direct = far_order(distance, length, radius, k);
  return direct == 0 || reflected == 0 ? 0 : std::max(direct, reflected);
}

ElementMatrix FarBelow::matrix(const Element& p, const Element& q, int order) const {
  const double k = ground_.k_rad_per_m, a2 = p.radius_m * p.radius_m,
               b2 = q.radius_m * q.radius_m;
  const RadiusTerms<double> radius = exact_ ? RadiusTerms<double>{0.25 * a2, 0.25 * b2, 0}
                                            : RadiusTerms<double>{0, 0, 0.5 * (a2 + b2)};
  const GaussRule rule = gauss_rule(order);
  ShapePoint on_p[max_points], on_q[max_points];
  for (int i = 0; i < order; ++i) {
    on_p[i] = shape_point(p, rule, i, k);
    on_q[i] = shape_point(q, rule, i, k);
  }
  // Mirrored, p's tangent and places turn their z round.
  const Vec3 tp_image = {p.tangent.x, p.tangent.y, -p.tangent.z};
  const int count = order * order;
  PointPairs direct, image;
  for (int i = 0; i < order; ++i)
    for (int j = 0; j < order; ++j) {
      const int n = i * order + j;
      const Vec3 &r = on_p[i].position_m, &s = on_q[j].position_m;
      direct.x[n] = image.x[n] = r.x - s.x;
      direct.y[n] = image.y[n] = r.y - s.y;
      direct.z[n] = r.z - s.z;
      image.z[n] = -r.z - s.z;
    }
  find_greens(k2_, radius, p.tangent, q.tangent, count, direct);
  find_greens(k2_, radius, tp_image, q.tangent, count, image);
  // The image's z is the sum of both depths.
  ReflectedKernels rest[max_pairs];
  double rho[max_pairs];
  look_up(ground_.table, k, image, count, rest, rho);

  const double horizontal = p.tangent.x * q.tangent.x + p.tangent.y * q.tangent.y,
               vertical = p.tangent.z * q.tangent.z;
  // t_z t'_h . r - t_h . r t'_z of both mirrored, as a vector times r.
  const double across_x = q.tangent.z * p.tangent.x - p.tangent.z * q.tangent.x,
               across_y = q.tangent.z * p.tangent.y - p.tangent.z * q.tangent.y;
  HdComplex z[2][2];
  for (int i = 0; i < order; ++i)
    for (int j = 0; j < order; ++j) {
      const int n = i * order + j;
      const double mixed =
          rho[n] > 0 ? (across_x * direct.x[n] + across_y * direct.y[n]) / rho[n] : 0;
      const HdComplex g = {direct.re[n], direct.im[n]},
                      g_image = {image.re[n], image.im[n]};
      const HdComplex vector =
          (horizontal + vertical) * g + (horizontal - vertical) * (image_ * g_image) +
          k * (horizontal * rest[n].h + vertical * rest[n].zz + mixed * rest[n].q);
      const HdComplex scalar =
          over_eps_ * g + image_over_eps_ * g_image + k * rest[n].phi;
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
          z[a][b] += on_p[i].value[a] * on_q[j].value[b] * vector -
                     on_p[i].derivative[a] * on_q[j].derivative[b] * scalar;
    }
  // Times j k eta0 / (4 pi).
  const double factor = k * eta0_ohm / (4 * pi);
  ElementMatrix m;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b) m.z[a][b] = {-factor * z[a][b].im, factor * z[a][b].re};
  return m;
}

}  // namespace thinwire
