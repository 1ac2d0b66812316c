#pragma once

#include "kernels/element/element.h"
#include "kernels/element/far_kernel.h"
#include "kernels/element/tube_kernel.h"

namespace thinwire {

/// The Green's function of a far pair of points with its derivatives; r2, zp, zq, c, a, b
/// as tube_series has them. Number by number: loops around structures within structures
/// do not vectorise.
struct GreensDerivatives {
  double re, im;
  double by_r2_re, by_r2_im, by_zp_re, by_zp_im, by_zq_re, by_zq_im;
  double by_c_re, by_c_im, by_a_re, by_a_im, by_b_re, by_b_im;
};

/// Which of two kernels: shares of the squared radii, 1/4 and 0 or 0 and 1/2. Numbers and
/// not a choice, so that loops vectorise.
struct RadiusShares {
  double quarter, half;

  static RadiusShares of(GreensKernel kernel) {
    if (kernel == GreensKernel::exact) return {0.25, 0};
    return {0, 0.5};
  }
};

/// Returns the derivatives of far_greens.
THINWIRE_INLINE GreensDerivatives far_greens_derivatives(double axis_r2, double zp,
                                                         double zq, double a, double b,
                                                         double k, RadiusShares share) {
  const double qa = share.quarter * a * a, qb = share.quarter * b * b;
  const double r2 = axis_r2 + share.half * (a * a + b * b);
  const double inverse = inverse_sqrt(r2), inverse2 = inverse * inverse;
  double sine, cosine;
  sincos_simd(k * (r2 * inverse), sine, cosine);
  const double along = (qa * zp * zp + qb * zq * zq) * inverse2, all = qa + qb;
  const double static_part = (3 * along - all) * inverse2;
  const double real_part = 1 - static_part - k * k * (all - along);
  // G = wave (real_part / R - j k static_part)
  const HdComplex wave{cosine, -sine};
  const HdComplex g = wave * HdComplex{real_part * inverse, -k * static_part};
  const HdComplex by_static = wave * HdComplex{-inverse, -k};
  const HdComplex by_wave = (-inverse) * wave;  // by k^2 (all - along)
  const HdComplex by_along = 3 * inverse2 * by_static - k * k * by_wave,
                  by_all = k * k * by_wave - inverse2 * by_static;
  const HdComplex by_r = HdComplex{k * g.im, -k * g.re} - real_part * inverse2 * wave;
  const HdComplex by_r2 = 0.5 * inverse * by_r - static_part * inverse2 * by_static -
                          along * inverse2 * by_along;
  const HdComplex by_zp = 2 * qa * zp * inverse2 * by_along,
                  by_zq = 2 * qb * zq * inverse2 * by_along;
  const HdComplex by_a =
                      2 * share.quarter * a * (zp * zp * inverse2 * by_along + by_all) +
                      2 * share.half * a * by_r2,
                  by_b =
                      2 * share.quarter * b * (zq * zq * inverse2 * by_along + by_all) +
                      2 * share.half * b * by_r2;
  return {g.re,     g.im, by_r2.re, by_r2.im, by_zp.re, by_zp.im, by_zq.re,
          by_zq.im, 0,    0,        by_a.re,  by_a.im,  by_b.re,  by_b.im};
}

/// Returns the derivatives of tube_series.
THINWIRE_INLINE GreensDerivatives tube_series_derivatives(double r2, double zp, double zq,
                                                          double c, double a, double b,
                                                          double k) {
  const double a2 = a * a, b2 = b * b;
  const double w = r2 + a2 + b2, u = 1 / w, u2 = u * u, r = w * std::sqrt(u);
  const double xp = r2 - zp * zp, xq = r2 - zq * zq;
  const double sp = a2 * u2 * xp, sq = b2 * u2 * xq, ab = a2 * b2 * u2;
  const double y = (r2 - zp * zp - zq * zq + c * zp * zq) * u;
  const double f2 = (2 * (sp + sq) + ab * (1 + c * c)) / 8, f3 = ab * y / 4,
               f4 = (sp * sp + sq * sq + 4 * sp * sq) / 64;
  const double x = k * r, x2 = x * x;
  double sine, cosine;
  sincos_simd(x, sine, cosine);
  const double inverse = 1 / r;
  const HdComplex wave{inverse * cosine, -inverse * sine};
  // G = wave (1 + f2 h2 + f3 h3 + f4 h4)
  const HdComplex h2{3 - x2, 3 * x}, h3{6 * x2 - 15, -x * (15 - x2)},
      h4{105 - x2 * (45 - x2), x * (105 - 10 * x2)};
  const HdComplex series = HdComplex{1, 0} + f2 * h2 + f3 * h3 + f4 * h4;
  const HdComplex series_by_x = f2 * HdComplex{-2 * x, 3} +
                                f3 * HdComplex{12 * x, 3 * x2 - 15} +
                                f4 * HdComplex{x * (4 * x2 - 90), 105 - 30 * x2};
  const HdComplex g = wave * series;
  const HdComplex g2 = wave * h2, g3 = wave * h3, g4 = wave * h4;
  const HdComplex by_r =
      k * (wave * series_by_x) + HdComplex{k * g.im, -k * g.re} - inverse * g;
  const HdComplex by_sp = 0.25 * g2 + (sp + 2 * sq) / 32 * g4,
                  by_sq = 0.25 * g2 + (sq + 2 * sp) / 32 * g4,
                  by_ab = (1 + c * c) / 8 * g2 + 0.25 * y * g3, by_y = 0.25 * ab * g3;
  const HdComplex by_w =
      0.5 * inverse * by_r - u * (2 * (sp * by_sp + sq * by_sq + ab * by_ab) + y * by_y);
  const HdComplex by_r2 = by_w + a2 * u2 * by_sp + b2 * u2 * by_sq + u * by_y,
                  by_zp = -2 * zp * a2 * u2 * by_sp + (c * zq - 2 * zp) * u * by_y,
                  by_zq = -2 * zq * b2 * u2 * by_sq + (c * zp - 2 * zq) * u * by_y,
                  by_c = 0.25 * ab * c * g2 + zp * zq * u * by_y,
                  by_a = 2 * a * (by_w + u2 * (xp * by_sp + b2 * by_ab)),
                  by_b = 2 * b * (by_w + u2 * (xq * by_sq + a2 * by_ab));
  return {g.re,     g.im,    by_r2.re, by_r2.im, by_zp.re, by_zp.im, by_zq.re,
          by_zq.im, by_c.re, by_c.im,  by_a.re,  by_a.im,  by_b.re,  by_b.im};
}

}  // namespace thinwire
