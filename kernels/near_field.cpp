#include "kernels/near_field.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/constants.h"
#include "kernels/near_field_element.h"
#include "kernels/shape_point.h"
#include "kernels/simd_clones.h"
#include "kernels/sincos.h"

namespace thinwire {
namespace {

/// An observer nearer than this many lengths and radii to an element is close to it. Four
/// Gauss points serve beyond 3 lengths (1e-8, worse by ten for the gradient), the ring's
/// series beyond 50 radii: 1.6 (a/R)^4.
constexpr double close_lengths = 3;
constexpr double close_radii = 50;
/// Points nearer to a tube's surface than this fraction of its radius are moved outside.
constexpr double sheet_thickness = 1e-3;

/// Gauss points for an element of electrical length kL seen from beyond close_lengths.
int point_count(double kl) {
  if (kl < 1.0) return 4;
  return kl < 2.0 ? 6 : 10;
}

void append_element(NearFieldSources& sources, const Element& element, Complex start_a,
                    Complex end_a, double k) {
  const bool exact = sources.kernel == GreensKernel::exact;
  const GaussRule rule = gauss_rule(point_count(k * element.length_m));
  for (int b = 0; b < rule.points; ++b) {
    const ShapePoint point = shape_point(element, rule, b, k);
    const Complex moment = point.value[0] * start_a + point.value[1] * end_a;
    const Complex slope = point.slope[0] * start_a + point.slope[1] * end_a;
    sources.x.push_back(point.position_m.x);
    sources.y.push_back(point.position_m.y);
    sources.z.push_back(point.position_m.z);
    sources.tx.push_back(element.tangent.x);
    sources.ty.push_back(element.tangent.y);
    sources.tz.push_back(element.tangent.z);
    sources.moment_re.push_back(moment.real());
    sources.moment_im.push_back(moment.imag());
    sources.slope_re.push_back(slope.real());
    sources.slope_im.push_back(slope.imag());
    sources.a2.push_back(exact ? element.radius_m * element.radius_m : 0);
  }
  const double length = element.length_m;
  const double close =
      0.5 * length + std::max(close_lengths * length, close_radii * element.radius_m);
  sources.elements.push_back(element);
  sources.end_current_a.push_back(start_a);
  sources.end_current_a.push_back(end_a);
  sources.close_m2.push_back(close * close);
  sources.first.push_back(sources.x.size());
}

HdComplex hd(Complex c) {
  return {c.real(), c.imag()};
}

/// An observer's cylindrical coordinates around an element's axis.
struct Cylindrical {
  double rho, foot;
  Vec3 outward;  ///< unit vector; zero on the axis

  Cylindrical(const Element& e, Vec3 point) {
    const Vec3 d = point - e.start_m;
    foot = dot(d, e.tangent);
    const Vec3 aside = d - foot * e.tangent;
    rho = norm(aside);
    outward = rho > 1e-9 * e.radius_m ? (1 / rho) * aside : Vec3{};
  }
};

struct Sums {
  double s[6] = {0, 0, 0, 0, 0, 0};  ///< x, y, z: real and imaginary parts
  void add(Vec3 v, HdComplex factor) {
    const double component[3] = {v.x, v.y, v.z};
    for (int c = 0; c < 3; ++c) {
      s[2 * c] += factor.re * component[c];
      s[2 * c + 1] += factor.im * component[c];
    }
  }
};

/// Points first..last of the sources, their sum of k I t G + (I'/k) grad G. With w = R^2
/// + a^2 and s = (a rho)^2, rho the distance from the element's axis, the mean of
/// e^{-jkR}/R around the ring is f(w) + s f''(w) and an error of order (a/R)^4, f being
/// e^{-jk sqrt(w)} / sqrt(w). The gradient is p d + q t, d leading from the source point
/// to the observer.
THINWIRE_SIMD_CLONES
void sum_electric(const NearFieldSources& m, std::size_t first, std::size_t last, Vec3 at,
                  double k, Sums& sums) {
  const double *x = m.x.data(), *y = m.y.data(), *z = m.z.data();
  const double *tx = m.tx.data(), *ty = m.ty.data(), *tz = m.tz.data();
  const double *m_re = m.moment_re.data(), *m_im = m.moment_im.data();
  const double *q_re = m.slope_re.data(), *q_im = m.slope_im.data();
  const double* a2 = m.a2.data();
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, s4, s5)
  for (std::size_t i = first; i < last; ++i) {
    const double dx = at.x - x[i], dy = at.y - y[i], dz = at.z - z[i];
    const double along = dx * tx[i] + dy * ty[i] + dz * tz[i];
    const double r2 = dx * dx + dy * dy + dz * dz;
    const double u = 1 / (r2 + a2[i]);
    const double h = (r2 + a2[i]) * std::sqrt(u);
    const double v = k * h, v2 = v * v;
    double sine, cosine;
    sincos_simd(v, sine, cosine);
    const double g_re = cosine / h, g_im = -sine / h;
    const double b = a2[i] * u;                            // (a/R)^2
    const double c = 0.25 * b * (r2 - along * along) * u;  // s / (4 w^2)
    const double f2_re = 3 - v2, f2_im = 3 * v;            // 4 w^2 f'' / f
    const double mean_re = 1 + c * f2_re, mean_im = c * f2_im;
    // grad G / g: -u ((1 + jv) + c (15 + 15 jv - 6 v^2 - j v^3)) along d, and along the
    // part of d that is normal to t, b u (3 + 3 jv - v^2) / 2.
    const double n_re = 0.5 * b * u * f2_re, n_im = 0.5 * b * u * f2_im;
    const double p_re = n_re - u * (1 + c * (15 - 6 * v2));
    const double p_im = n_im - u * (v + c * (15 - v2) * v);
    // Times g and the source's strengths.
    const double qg_re = q_re[i] * g_re - q_im[i] * g_im;
    const double qg_im = q_re[i] * g_im + q_im[i] * g_re;
    const double mg_re = k * (m_re[i] * g_re - m_im[i] * g_im);
    const double mg_im = k * (m_re[i] * g_im + m_im[i] * g_re);
    const double d_re = qg_re * p_re - qg_im * p_im;
    const double d_im = qg_re * p_im + qg_im * p_re;
    const double t_re =
        mg_re * mean_re - mg_im * mean_im - along * (qg_re * n_re - qg_im * n_im);
    const double t_im =
        mg_re * mean_im + mg_im * mean_re - along * (qg_re * n_im + qg_im * n_re);
    s0 += d_re * dx + t_re * tx[i];
    s1 += d_im * dx + t_im * tx[i];
    s2 += d_re * dy + t_re * ty[i];
    s3 += d_im * dy + t_im * ty[i];
    s4 += d_re * dz + t_re * tz[i];
    s5 += d_im * dz + t_im * tz[i];
  }
  const double all[6] = {s0, s1, s2, s3, s4, s5};
  for (int c = 0; c < 6; ++c) sums.s[c] += all[c];
}

/// The same for I grad G x t, which takes only the part of grad G along d: p d x t.
THINWIRE_SIMD_CLONES
void sum_magnetic(const NearFieldSources& m, std::size_t first, std::size_t last, Vec3 at,
                  double k, Sums& sums) {
  const double *x = m.x.data(), *y = m.y.data(), *z = m.z.data();
  const double *tx = m.tx.data(), *ty = m.ty.data(), *tz = m.tz.data();
  const double *m_re = m.moment_re.data(), *m_im = m.moment_im.data();
  const double* a2 = m.a2.data();
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, s4, s5)
  for (std::size_t i = first; i < last; ++i) {
    const double dx = at.x - x[i], dy = at.y - y[i], dz = at.z - z[i];
    const double along = dx * tx[i] + dy * ty[i] + dz * tz[i];
    const double r2 = dx * dx + dy * dy + dz * dz;
    const double u = 1 / (r2 + a2[i]);
    const double h = (r2 + a2[i]) * std::sqrt(u);
    const double v = k * h, v2 = v * v;
    double sine, cosine;
    sincos_simd(v, sine, cosine);
    const double g_re = cosine / h, g_im = -sine / h;
    const double b = a2[i] * u;
    const double c = 0.25 * b * (r2 - along * along) * u;
    const double p_re = u * (0.5 * b * (3 - v2) - 1 - c * (15 - 6 * v2));
    const double p_im = u * v * (1.5 * b - 1 - c * (15 - v2));
    const double mg_re = m_re[i] * g_re - m_im[i] * g_im;
    const double mg_im = m_re[i] * g_im + m_im[i] * g_re;
    const double f_re = mg_re * p_re - mg_im * p_im;
    const double f_im = mg_re * p_im + mg_im * p_re;
    const double cx = dy * tz[i] - dz * ty[i];
    const double cy = dz * tx[i] - dx * tz[i];
    const double cz = dx * ty[i] - dy * tx[i];
    s0 += f_re * cx;
    s1 += f_im * cx;
    s2 += f_re * cy;
    s3 += f_im * cy;
    s4 += f_re * cz;
    s5 += f_im * cz;
  }
  const double all[6] = {s0, s1, s2, s3, s4, s5};
  for (int c = 0; c < 6; ++c) sums.s[c] += all[c];
}

/// Indices, ascending, of the elements that `at` is close to.
void find_close(const NearFieldSources& sources, Vec3 at,
                std::vector<std::size_t>& close) {
  close.clear();
  for (std::size_t e = 0; e < sources.elements.size(); ++e) {
    const Element& element = sources.elements[e];
    const Vec3 d = at - element.start_m - (0.5 * element.length_m) * element.tangent;
    if (dot(d, d) < sources.close_m2[e]) close.push_back(e);
  }
}

/// `at`, moved outside where it lies on the surface of one of the elements.
Vec3 off_the_sheets(const NearFieldSources& sources,
                    const std::vector<std::size_t>& close, Vec3 at) {
  if (sources.kernel != GreensKernel::exact) return at;
  for (const std::size_t e : close) {
    const Element& element = sources.elements[e];
    const Cylindrical c(element, at);
    const double thickness = sheet_thickness * element.radius_m;
    if (std::abs(c.rho - element.radius_m) < thickness && c.foot > -thickness &&
        c.foot < element.length_m + thickness)
      at = at + (element.radius_m + thickness - c.rho) * c.outward;
  }
  return at;
}

/// Calls far(first, last, point, sums) for the points of elements that are not close to
/// the observer and near(element, field, place, sums) for those that are.
template <class Far, class Near>
void sum_everywhere(const NearFieldSources& sources, std::span<const Vec3> points_m,
                    double k, std::span<Complex> out, Complex factor, Far far,
                    Near near) {
#pragma omp parallel
  {
    std::vector<std::size_t> close;
#pragma omp for schedule(dynamic, 4)
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(points_m.size()); ++i) {
      find_close(sources, points_m[i], close);
      const Vec3 at = off_the_sheets(sources, close, points_m[i]);
      Sums sums;
      std::size_t done = 0;
      for (const std::size_t e : close) {
        far(sources, sources.first[done], sources.first[e], at, k, sums);
        done = e + 1;
        const Cylindrical place(sources.elements[e], at);
        near(sources.elements[e],
             element_field(sources.elements[e], hd(sources.end_current_a[2 * e]),
                           hd(sources.end_current_a[2 * e + 1]), place.rho, place.foot, k,
                           sources.kernel),
             place, sums);
      }
      far(sources, sources.first[done], sources.x.size(), at, k, sums);
      for (int c = 0; c < 3; ++c)
        out[3 * i + c] = factor * Complex(sums.s[2 * c], sums.s[2 * c + 1]);
    }
  }
}

}  // namespace

NearFieldSources near_field_sources(std::span<const Element> elements,
                                    std::span<const Complex> end_current_a, double k,
                                    GreensKernel kernel, bool perfect_ground) {
  NearFieldSources sources;
  sources.kernel = kernel;
  sources.first.push_back(0);
  for (std::size_t e = 0; e < elements.size(); ++e)
    append_element(sources, elements[e], end_current_a[2 * e], end_current_a[2 * e + 1],
                   k);
  if (!perfect_ground) return sources;
  // Mirrored in z = 0, with the opposite charge and so the opposite current.
  for (std::size_t e = 0; e < elements.size(); ++e) {
    Element image = elements[e];
    image.start_m.z = -image.start_m.z;
    image.tangent.z = -image.tangent.z;
    append_element(sources, image, -end_current_a[2 * e], -end_current_a[2 * e + 1], k);
  }
  return sources;
}

void electric_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                    double k, std::span<Complex> e_v_per_m) {
  sum_everywhere(
      sources, points_m, k, e_v_per_m, Complex(0, -eta0_ohm / (4 * pi)), sum_electric,
      [k](const Element& e, const ElementField& f, const Cylindrical& place, Sums& sums) {
        sums.add(e.tangent, k * f.potential + f.axial_charge);
        sums.add(place.outward, f.radial_charge);
      });
}

void magnetic_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                    double k, std::span<Complex> h_a_per_m) {
  sum_everywhere(
      sources, points_m, k, h_a_per_m, Complex(1 / (4 * pi)), sum_magnetic,
      [](const Element& e, const ElementField& f, const Cylindrical& place, Sums& sums) {
        sums.add(cross(place.outward, e.tangent), f.radial_curl);
      });
}

}  // namespace thinwire
