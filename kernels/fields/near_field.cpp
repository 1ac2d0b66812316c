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

void append_element(NearFieldSources& sources, const Element& element, Complex start_a,
                    Complex end_a, double k, Complex eps) {
  const bool exact = sources.kernel == GreensKernel::exact;
  const double fastest = k * std::max(1.0, std::abs(std::sqrt(eps)));
  const GaussRule rule = gauss_rule(point_count(fastest * element.length_m));
  for (int b = 0; b < rule.points; ++b) {
    const ShapePoint point = shape_point(element, rule, b, k);
    const Complex moment = point.value[0] * start_a + point.value[1] * end_a;
    const Complex derivative =
        (point.derivative[0] * start_a + point.derivative[1] * end_a) / eps;
    sources.x.push_back(point.position_m.x);
    sources.y.push_back(point.position_m.y);
    sources.z.push_back(point.position_m.z);
    sources.tx.push_back(element.tangent.x);
    sources.ty.push_back(element.tangent.y);
    sources.tz.push_back(element.tangent.z);
    sources.moment_re.push_back(moment.real());
    sources.moment_im.push_back(moment.imag());
    sources.derivative_re.push_back(derivative.real());
    sources.derivative_im.push_back(derivative.imag());
    sources.a2.push_back(exact ? element.radius_m * element.radius_m : 0);
  }
  const double length = element.length_m;
  const double close =
      (1 - hair) *
      (0.5 * length + std::max(close_lengths * length, close_radii * element.radius_m));
  sources.elements.push_back(element);
  sources.end_current_a.push_back(start_a);
  sources.end_current_a.push_back(end_a);
  sources.close.push_back(
      {element.start_m + (0.5 * length) * element.tangent, close * close});
  sources.first.push_back(sources.x.size());
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
  sources.first.push_back(0);
  for (int s = 0; s < medium.sources(); ++s) {
    const Complex factor = s == 0 ? 1 : medium.factor(s) * image_strength;
    for (std::size_t e = 0; e < elements.size(); ++e)
      append_element(sources, medium.source(elements[e], s),
                     factor * end_current_a[2 * e], factor * end_current_a[2 * e + 1], k,
                     eps);
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
