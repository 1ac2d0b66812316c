#pragma once

#include <cmath>

#include "kernels/base/complex.h"
#include "kernels/base/dual.h"

namespace thinwire {

/// The radii of a pair of elements as the far Green's function wants them.
template <class Real>
struct RadiusTerms {
  Real quarter_a2;  ///< a_p^2 / 4
  Real quarter_b2;  ///< a_q^2 / 4
  Real reduced_r2;  ///< added to R^2: reduced kernel (a_p^2 + a_q^2) / 2, exact 0
};

/// Mean of e^{-jkR}/R over both circumferences, to second order in the radii, of two
/// points on the axes of elements with unit tangents t_p and t_q; d = r_p - r_q,
/// axis_r2 = |d|^2, dot_p = d . t_p, dot_q = d . t_q.
///
/// The mean over a circle of radius a about t is J0(a sqrt(k^2 + d_t^2)) applied to
/// e^{-jkR}/R; its first term gives, with c the cosine between d and t,
///     1 - (a^2/4) [(3 c^2 - 1)(1 + jkR)/R^2 + k^2 (1 - c^2)],
/// and likewise for the other element. What is left is 2.3 (a/R)^4 + 0.03 (ka)^4 at most:
/// tube_series takes over where that is too much. For the reduced kernel the quarters are
/// 0.
template <class Real, class Wavenumber>
THINWIRE_HD THINWIRE_INLINE BasicComplex<Real> far_greens(Real axis_r2, Real dot_p,
                                                          Real dot_q, Wavenumber k,
                                                          RadiusTerms<Real> radius) {
  const Real r2 = axis_r2 + radius.reduced_r2;
  const Real inverse = inverse_sqrt(r2);
  const Real inverse2 = inverse * inverse;
  const Real phase = k * (r2 * inverse);
  Real sine, cosine;
  sincos_simd(phase, sine, cosine);
  // Sums over both elements of a^2/4 and of (a^2/4) c^2.
  const Real all = radius.quarter_a2 + radius.quarter_b2;
  const Real along =
      (radius.quarter_a2 * dot_p * dot_p + radius.quarter_b2 * dot_q * dot_q) * inverse2;
  const Real static_part = (3 * along - all) * inverse2;
  const Real wave_part = k * k * (all - along);
  const Real factor_re = (1 - static_part - wave_part) * inverse;
  const Real factor_im = -k * static_part;
  return {cosine * factor_re + sine * factor_im, cosine * factor_im - sine * factor_re};
}

}  // namespace thinwire
