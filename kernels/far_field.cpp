#include "kernels/far_field.h"

#include <cmath>
#include <cstdint>

#include "kernels/constants.h"
#include "kernels/shape_point.h"
#include "kernels/simd_clones.h"
#include "kernels/sincos.h"

namespace thinwire {
namespace {

/// Gauss points that give the far field of an element of electrical length kL to about
/// 1e-8.
int point_count(double kl) {
  if (kl < 0.1) return 2;
  if (kl < 0.4) return 3;
  if (kl < 1.0) return 4;
  return kl < 2.0 ? 6 : 10;
}

void append(CurrentMoments& m, Vec3 r, Vec3 along, Complex moment) {
  m.x.push_back(r.x);
  m.y.push_back(r.y);
  m.z.push_back(r.z);
  m.mx_re.push_back(moment.real() * along.x);
  m.mx_im.push_back(moment.imag() * along.x);
  m.my_re.push_back(moment.real() * along.y);
  m.my_im.push_back(moment.imag() * along.y);
  m.mz_re.push_back(moment.real() * along.z);
  m.mz_im.push_back(moment.imag() * along.z);
}

/// Sum of the moments times e^{j k u . r}, u being the direction: three complex numbers.
THINWIRE_SIMD_CLONES
void sum_moments(const CurrentMoments& m, double ux, double uy, double uz,
                 double sum[6]) {
  const std::size_t n = m.size();
  const double *x = m.x.data(), *y = m.y.data(), *z = m.z.data();
  const double *x_re = m.mx_re.data(), *x_im = m.mx_im.data(), *y_re = m.my_re.data(),
               *y_im = m.my_im.data(), *z_re = m.mz_re.data(), *z_im = m.mz_im.data();
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, s4, s5)
  for (std::size_t i = 0; i < n; ++i) {
    double sine, cosine;
    sincos_simd(ux * x[i] + uy * y[i] + uz * z[i], sine, cosine);
    s0 += x_re[i] * cosine - x_im[i] * sine;
    s1 += x_re[i] * sine + x_im[i] * cosine;
    s2 += y_re[i] * cosine - y_im[i] * sine;
    s3 += y_re[i] * sine + y_im[i] * cosine;
    s4 += z_re[i] * cosine - z_im[i] * sine;
    s5 += z_re[i] * sine + z_im[i] * cosine;
  }
  const double all[6] = {s0, s1, s2, s3, s4, s5};
  for (int c = 0; c < 6; ++c) sum[c] = all[c];
}

}  // namespace

CurrentMoments current_moments(std::span<const Element> elements,
                               std::span<const Complex> end_current_a, double k,
                               bool perfect_ground) {
  CurrentMoments moments;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const Element& element = elements[e];
    const GaussRule rule = gauss_rule(point_count(k * element.length_m));
    for (int b = 0; b < rule.points; ++b) {
      const ShapePoint point = shape_point(element, rule, b, k);
      const Complex moment = point.value[0] * end_current_a[2 * e] +
                             point.value[1] * end_current_a[2 * e + 1];
      const Vec3 r = point.position_m, t = element.tangent;
      append(moments, r, t, moment);
      if (perfect_ground) append(moments, {r.x, r.y, -r.z}, {-t.x, -t.y, t.z}, moment);
    }
  }
  return moments;
}

void far_field(const CurrentMoments& moments, std::span<const Direction> directions,
               double k, std::span<Complex> e_theta_v, std::span<Complex> e_phi_v) {
  // E = -j k eta / (4 pi) (N - (N . u) u), N = sum of moments e^{j k u . r}  (Balanis
  // 2016, eq. 3-58).
  const Complex factor(0, -k * eta0_ohm / (4 * pi));
#pragma omp parallel for schedule(static, 16)
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(directions.size()); ++d) {
    const double st = std::sin(directions[d].theta), ct = std::cos(directions[d].theta);
    const double sp = std::sin(directions[d].phi), cp = std::cos(directions[d].phi);
    double n[6];
    sum_moments(moments, k * st * cp, k * st * sp, k * ct, n);
    const Complex nx(n[0], n[1]), ny(n[2], n[3]), nz(n[4], n[5]);
    e_theta_v[d] = factor * (ct * cp * nx + ct * sp * ny - st * nz);
    e_phi_v[d] = factor * (cp * ny - sp * nx);
  }
}

}  // namespace thinwire
