#include "kernels/fields/near_field.h"

#include <algorithm>
#include <cstdint>

#include "kernels/base/simd_clones.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/element/shape_point.h"
#include "kernels/fields/near_field_terms.h"

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
                    Complex end_a, double k) {
  const bool exact = sources.kernel == GreensKernel::exact;
  const GaussRule rule = gauss_rule(point_count(k * element.length_m));
  for (int b = 0; b < rule.points; ++b) {
    const ShapePoint point = shape_point(element, rule, b, k);
    const Complex moment = point.value[0] * start_a + point.value[1] * end_a;
    const Complex derivative =
        point.derivative[0] * start_a + point.derivative[1] * end_a;
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

/// Adds points first..last of the sources.
template <class Terms>
THINWIRE_INLINE void sum_points(const NearFieldSources& m, std::size_t first,
                                std::size_t last, Vec3 at, double k, FieldVector& sum) {
  const double *x = m.x.data(), *y = m.y.data(), *z = m.z.data();
  const double *tx = m.tx.data(), *ty = m.ty.data(), *tz = m.tz.data();
  const double *m_re = m.moment_re.data(), *m_im = m.moment_im.data();
  const double *q_re = m.derivative_re.data(), *q_im = m.derivative_im.data();
  const double* a2 = m.a2.data();
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, s4, s5)
  for (std::size_t i = first; i < last; ++i) {
    const FieldVector f =
        Terms::of_point({at.x - x[i], at.y - y[i], at.z - z[i]}, {tx[i], ty[i], tz[i]},
                        a2[i], {m_re[i], m_im[i]}, {q_re[i], q_im[i]}, k);
    s0 += f.x.re;
    s1 += f.x.im;
    s2 += f.y.re;
    s3 += f.y.im;
    s4 += f.z.re;
    s5 += f.z.im;
  }
  sum.x += {s0, s1};
  sum.y += {s2, s3};
  sum.z += {s4, s5};
}

THINWIRE_SIMD_CLONES
void sum_electric(const NearFieldSources& m, std::size_t first, std::size_t last, Vec3 at,
                  double k, FieldVector& sum) {
  sum_points<ElectricTerms>(m, first, last, at, k, sum);
}

THINWIRE_SIMD_CLONES
void sum_magnetic(const NearFieldSources& m, std::size_t first, std::size_t last, Vec3 at,
                  double k, FieldVector& sum) {
  sum_points<MagneticTerms>(m, first, last, at, k, sum);
}

/// Indices, ascending, of the elements that `at` is close to.
void find_close(const NearFieldSources& sources, Vec3 at,
                std::vector<std::size_t>& close) {
  close.clear();
  for (std::size_t e = 0; e < sources.elements.size(); ++e)
    if (is_close(sources.close[e], at)) close.push_back(e);
}

/// `at`, moved outside where it lies on the surface of one of the elements. All that it
/// can lie on are among those that it is close to.
Vec3 off_the_sheets(const NearFieldSources& sources,
                    const std::vector<std::size_t>& close, Vec3 at) {
  if (sources.kernel != GreensKernel::exact) return at;
  for (const std::size_t e : close) {
    const Cylindrical place(sources.elements[e], at);
    if (on_sheet(sources.elements[e], place))
      at = at + way_off_sheet(sources.elements[e], place);
  }
  return at;
}

/// far: sum_points<Terms>, as compiled for this processor.
template <class Terms, class Far>
void sum_everywhere(const NearFieldSources& sources, std::span<const Vec3> points_m,
                    double k, std::span<Complex> out, Far far) {
  const Complex factor = Terms::factor();
#pragma omp parallel
  {
    std::vector<std::size_t> close;
#pragma omp for schedule(dynamic, 4)
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(points_m.size()); ++i) {
      find_close(sources, points_m[i], close);
      const Vec3 at = off_the_sheets(sources, close, points_m[i]);
      if (!(at == points_m[i])) find_close(sources, at, close);
      FieldVector sum;
      std::size_t done = 0;
      for (const std::size_t e : close) {
        far(sources, sources.first[done], sources.first[e], at, k, sum);
        done = e + 1;
        add_close_element<Terms>(sources.elements[e], to_hd(sources.end_current_a[2 * e]),
                                 to_hd(sources.end_current_a[2 * e + 1]), at, k,
                                 sources.kernel, sum);
      }
      far(sources, sources.first[done], sources.x.size(), at, k, sum);
      out[3 * i] = factor * Complex(sum.x);
      out[3 * i + 1] = factor * Complex(sum.y);
      out[3 * i + 2] = factor * Complex(sum.z);
    }
  }
}

}  // namespace

NearFieldSources near_field_sources(std::span<const Element> elements,
                                    std::span<const Complex> end_current_a, double k,
                                    GreensKernel kernel, Medium medium,
                                    Complex image_strength) {
  NearFieldSources sources;
  sources.kernel = kernel;
  sources.first.push_back(0);
  for (int s = 0; s < medium.sources(); ++s) {
    const Complex factor = s == 0 ? 1 : medium.factor(s) * image_strength;
    for (std::size_t e = 0; e < elements.size(); ++e)
      append_element(sources, medium.source(elements[e], s),
                     factor * end_current_a[2 * e], factor * end_current_a[2 * e + 1], k);
  }
  return sources;
}

void electric_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                    double k, std::span<Complex> e_v_per_m) {
  sum_everywhere<ElectricTerms>(sources, points_m, k, e_v_per_m, sum_electric);
}

void magnetic_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                    double k, std::span<Complex> h_a_per_m) {
  sum_everywhere<MagneticTerms>(sources, points_m, k, h_a_per_m, sum_magnetic);
}

}  // namespace thinwire
