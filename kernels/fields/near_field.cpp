#include "kernels/fields/near_field.h"

#include <algorithm>

#include "kernels/element/quadrature_order.h"
#include "kernels/element/shape_point.h"
#include "kernels/fields/near_field_sum.h"

namespace thinwire {
namespace {

/// An observer nearer than this many lengths and radii to an element is close to it. Four
/// Gauss points serve beyond 3 lengths (1e-8, worse by ten for the gradient), the ring's
/// series beyond 50 radii: 1.6 (a/R)^4.
constexpr double close_lengths = 3;
constexpr double close_radii = 50;
/// Gauss points for an element of electrical length kL seen from beyond close_lengths.
int point_count(double kl) {
  if (kl < 1.0) return 4;
  return kl < 2.0 ? 6 : near_field_max_points;
}

/// Wave number in a medium of this relative permittivity.
double fastest_wave(double k, Complex eps) {
  return k * std::max(1.0, std::abs(std::sqrt(eps)));
}

/// Sets source i, whose points are known (NearFieldSources::first).
void set_element(NearFieldSources& sources, std::size_t i, const Element& element,
                 Complex start_a, Complex end_a, double k, Complex eps) {
  const bool exact = sources.kernel == GreensKernel::exact;
  const std::size_t first = sources.first[i];
  const GaussRule rule = gauss_rule(static_cast<int>(sources.first[i + 1] - first));
  for (int b = 0; b < rule.points; ++b) {
    const ShapePoint point = shape_point(element, rule, b, k);
    const Complex moment = point.value[0] * start_a + point.value[1] * end_a;
    const Complex derivative =
        (point.derivative[0] * start_a + point.derivative[1] * end_a) / eps;
    const std::size_t at = first + static_cast<std::size_t>(b);
    sources.x[at] = point.position_m.x;
    sources.y[at] = point.position_m.y;
    sources.z[at] = point.position_m.z;
    sources.tx[at] = element.tangent.x;
    sources.ty[at] = element.tangent.y;
    sources.tz[at] = element.tangent.z;
    sources.moment_re[at] = moment.real();
    sources.moment_im[at] = moment.imag();
    sources.derivative_re[at] = derivative.real();
    sources.derivative_im[at] = derivative.imag();
    sources.a2[at] = exact ? element.radius_m * element.radius_m : 0;
  }
  const double length = element.length_m;
  const double close =
      (1 - hair) *
      (0.5 * length + std::max(close_lengths * length, close_radii * element.radius_m));
  sources.elements[i] = element;
  sources.end_current_a[2 * i] = start_a;
  sources.end_current_a[2 * i + 1] = end_a;
  sources.close[i] = {element.start_m + (0.5 * length) * element.tangent, close * close};
}

THINWIRE_SIMD_CLONES
void sum_electric(const NearFieldSources& m, std::size_t first, std::size_t last, Vec3 at,
                  double k, double wave, FieldVector& sum) {
  sum_points<ElectricTerms>(m, first, last, at, k, wave, sum);
}

THINWIRE_SIMD_CLONES
void sum_magnetic(const NearFieldSources& m, std::size_t first, std::size_t last, Vec3 at,
                  double k, double wave, FieldVector& sum) {
  sum_points<MagneticTerms>(m, first, last, at, k, wave, sum);
}

}  // namespace

NearFieldSources near_field_sources(std::span<const Element> elements,
                                    std::span<const Complex> end_current_a, double k,
                                    GreensKernel kernel, Medium medium,
                                    Complex image_strength, Complex eps) {
  NearFieldSources sources;
  sources.kernel = kernel;
  const std::size_t count = elements.size() * static_cast<std::size_t>(medium.sources());
  sources.first.assign(count + 1, 0);
  for (std::size_t i = 0; i < count; ++i)
    sources.first[i + 1] =
        sources.first[i] +
        static_cast<std::size_t>(
            point_count(fastest_wave(k, eps) * elements[i % elements.size()].length_m));
  for (LargeVector<double>* values :
       {&sources.x, &sources.y, &sources.z, &sources.tx, &sources.ty, &sources.tz,
        &sources.moment_re, &sources.moment_im, &sources.derivative_re,
        &sources.derivative_im, &sources.a2})
    values->resize(sources.first.back());
  sources.elements.resize(count);
  sources.end_current_a.resize(2 * count);
  sources.close.resize(count);
#pragma omp parallel for schedule(static) if (count > 10000)
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t e = i % elements.size();
    const int s = static_cast<int>(i / elements.size());
    const Complex factor = s == 0 ? 1 : medium.factor(s) * image_strength;
    set_element(sources, i, medium.source(elements[e], s), factor * end_current_a[2 * e],
                factor * end_current_a[2 * e + 1], k, eps);
  }
  return sources;
}

void electric_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                    double k, std::span<Complex> e_v_per_m) {
  std::ranges::fill(e_v_per_m, Complex());
  sum_everywhere<ElectricTerms>(sources, points_m, k, k, {1, 0}, e_v_per_m, sum_electric);
}

void magnetic_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                    double k, std::span<Complex> h_a_per_m) {
  std::ranges::fill(h_a_per_m, Complex());
  sum_everywhere<MagneticTerms>(sources, points_m, k, k, {1, 0}, h_a_per_m, sum_magnetic);
}

}  // namespace thinwire
