#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/simd_clones.h"
#include "kernels/fields/near_field.h"
#include "kernels/fields/near_field_terms.h"

namespace thinwire {

/// Adds points first..last of the sources.
template <class Terms, class Wavenumber>
THINWIRE_INLINE void sum_points(const NearFieldSources& m, std::size_t first,
                                std::size_t last, Vec3 at, double k, Wavenumber wave,
                                FieldVector& sum) {
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
                        a2[i], {m_re[i], m_im[i]}, {q_re[i], q_im[i]}, k, wave);
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

/// Indices, ascending, of the elements that `at` is close to.
inline void find_close(const NearFieldSources& sources, Vec3 at,
                       std::vector<std::size_t>& close) {
  close.clear();
  for (std::size_t e = 0; e < sources.elements.size(); ++e)
    if (is_close(sources.close[e], at)) close.push_back(e);
}

/// `at`, moved outside where it lies on the surface of one of the elements. All that it
/// can lie on are among those that it is close to.
inline Vec3 off_the_sheets(const NearFieldSources& sources,
                           const std::vector<std::size_t>& close, Vec3 at) {
  if (sources.kernel != GreensKernel::exact) return at;
  for (const std::size_t e : close) {
    const Cylindrical place(sources.elements[e], at);
    if (on_sheet(sources.elements[e], place))
      at = at + way_off_sheet(sources.elements[e], place);
  }
  return at;
}

/// Adds the field of currents in a medium to `out`, [3 points]. far: sum_points<Terms>,
/// as compiled for this processor; wave, over_eps: as in add_close_element().
template <class Terms, class Wavenumber, class Far>
void sum_everywhere(const NearFieldSources& sources, std::span<const Vec3> points_m,
                    double k, Wavenumber wave, HdComplex over_eps, std::span<Complex> out,
                    Far far) {
  const Complex factor = Terms::factor();
#pragma omp parallel
  {
    std::vector<std::size_t> close;
#pragma omp for schedule(dynamic)
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(points_m.size()); ++i) {
      find_close(sources, points_m[i], close);
      const Vec3 at = off_the_sheets(sources, close, points_m[i]);
      if (!(at == points_m[i])) find_close(sources, at, close);
      FieldVector sum;
      std::size_t done = 0;
      for (const std::size_t e : close) {
        far(sources, sources.first[done], sources.first[e], at, k, wave, sum);
        done = e + 1;
        add_close_element<Terms>(sources.elements[e], to_hd(sources.end_current_a[2 * e]),
                                 to_hd(sources.end_current_a[2 * e + 1]), at, k, wave,
                                 over_eps, sources.kernel, sum);
      }
      far(sources, sources.first[done], sources.x.size(), at, k, wave, sum);
      out[3 * i] += factor * Complex(sum.x);
      out[3 * i + 1] += factor * Complex(sum.y);
      out[3 * i + 2] += factor * Complex(sum.z);
    }
  }
}

}  // namespace thinwire
