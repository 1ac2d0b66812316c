#pragma once

#include <cmath>

#include "kernels/base/complex.h"
#include "kernels/base/sincos.h"

namespace thinwire {

/// The radii of a pair of elements as the far Green's function wants them.
struct RadiusTerms {
  double quarter_a2;  ///< a_p^2 / 4
  double quarter_b2;  ///< a_q^2 / 4
  double reduced_r2;  ///< added to R^2: reduced kernel (a_p^2 + a_q^2) / 2, exact 0
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
THINWIRE_HD THINWIRE_INLINE HdComplex far_greens(double axis_r2, double dot_p,
                                                 double dot_q, double k,
                                                 RadiusTerms radius) {
  const double r2 = axis_r2 + radius.reduced_r2;
  const double inverse = inverse_sqrt(r2);
  const double inverse2 = inverse * inverse;
  const double phase = k * (r2 * inverse);
  double sine, cosine;
  sincos_simd(phase, sine, cosine);
  // Sums over both elements of a^2/4 and of (a^2/4) c^2.
  const double all = radius.quarter_a2 + radius.quarter_b2;
  const double along =
      (radius.quarter_a2 * dot_p * dot_p + radius.quarter_b2 * dot_q * dot_q) * inverse2;
  const double static_part = (3 * along - all) * inverse2;
  const double wave_part = k * k * (all - along);
  const double factor_re = (1 - static_part - wave_part) * inverse;
  const double factor_im = -k * static_part;
  return {cosine * factor_re + sine * factor_im, cosine * factor_im - sine * factor_re};
}

}  // namespace thinwire
