#include "kernels/fields/far_field.h"

#include <cmath>
#include <cstdint>

#include "kernels/base/simd_clones.h"
#include "kernels/element/shape_point.h"
#include "kernels/fields/far_field_terms.h"

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

/// Makes room for `count` moments.
void resize(CurrentMoments& m, std::size_t count) {
  for (std::vector<double>* part :
       {&m.x, &m.y, &m.z, &m.tx, &m.ty, &m.tz, &m.re, &m.im, &m.ka2})
    part->resize(count);
}

void set(CurrentMoments& m, std::size_t i, Vec3 r, Vec3 along, Complex moment,
         double ka2) {
  m.x[i] = r.x;
  m.y[i] = r.y;
  m.z[i] = r.z;
  m.tx[i] = along.x;
  m.ty[i] = along.y;
  m.tz[i] = along.z;
  m.re[i] = moment.real();
  m.im[i] = moment.imag();
  m.ka2[i] = ka2;
}

/// N of transverse_field in direction u: three complex numbers.
THINWIRE_SIMD_CLONES
void sum_moments(const CurrentMoments& m, Vec3 u, double k, double sum[6]) {
  const std::size_t n = m.size();
  const double *x = m.x.data(), *y = m.y.data(), *z = m.z.data();
  const double *tx = m.tx.data(), *ty = m.ty.data(), *tz = m.tz.data();
  const double *re = m.re.data(), *im = m.im.data(), *ka2 = m.ka2.data();
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, s4, s5)
  for (std::size_t i = 0; i < n; ++i) {
    const HdComplex seen = moment_seen_along(u, {x[i], y[i], z[i]}, {tx[i], ty[i], tz[i]},
                                             {re[i], im[i]}, ka2[i], k);
    s0 += tx[i] * seen.re;
    s1 += tx[i] * seen.im;
    s2 += ty[i] * seen.re;
    s3 += ty[i] * seen.im;
    s4 += tz[i] * seen.re;
    s5 += tz[i] * seen.im;
  }
  const double all[6] = {s0, s1, s2, s3, s4, s5};
  for (int c = 0; c < 6; ++c) sum[c] = all[c];
}

}  // namespace

CurrentMoments current_moments(std::span<const Element> elements,
                               std::span<const Complex> end_current_a, double k,
                               GreensKernel kernel, Medium medium) {
  std::vector<std::size_t> first(elements.size() + 1, 0);  // moment of each element
  for (std::size_t e = 0; e < elements.size(); ++e)
    first[e + 1] =
        first[e] + static_cast<std::size_t>(point_count(k * elements[e].length_m) *
                                            medium.sources());
  CurrentMoments moments;
  resize(moments, first.back());
#pragma omp parallel for schedule(static)
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const Element& element = elements[e];
    const double ka = kernel == GreensKernel::exact ? k * element.radius_m : 0;
    const GaussRule rule = gauss_rule(point_count(k * element.length_m));
    std::size_t i = first[e];
    for (int b = 0; b < rule.points; ++b)
      for (int s = 0; s < medium.sources(); ++s) {
        const Element source = medium.source(element, s);
        const ShapePoint point = shape_point(source, rule, b, k);
        const Complex moment = point.value[0] * end_current_a[2 * e] +
                               point.value[1] * end_current_a[2 * e + 1];
        set(moments, i++, point.position_m, source.tangent, medium.factor(s) * moment,
            ka * ka);
      }
  }
  return moments;
}

void far_field(const CurrentMoments& moments, std::span<const Direction> directions,
               double k, std::span<Complex> e_theta_v, std::span<Complex> e_phi_v) {
#pragma omp parallel for schedule(static, 16)
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(directions.size()); ++d) {
    const auto [theta, phi] = directions[d];
    const Vec3 u = {std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                    std::cos(theta)};
    double n[6];
    sum_moments(moments, u, k, n);
    transverse_field(directions[d], {n[0], n[1]}, {n[2], n[3]}, {n[4], n[5]}, k,
                     e_theta_v[d], e_phi_v[d]);
  }
}

}  // namespace thinwire
