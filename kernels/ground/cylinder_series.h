#pragma once

#include <cmath>

#include "kernels/base/complex.h"
#include "kernels/base/constants.h"
#include "kernels/base/exp.h"
#include "kernels/base/sincos.h"

namespace thinwire {

// J, H1 / 2 and H2 / 2 of orders 0 and 1 by their series, each formula for a number (on a
// GPU: one thread's) and for several side by side in vector registers: Lanes. Error 1e-10
// of e^{|Im kr rho|}, Hankel functions only where they decay.

/// Limit of |kr rho| between the power series below and the asymptotic series.
inline constexpr double cylinder_series_end = 11;
inline constexpr double smallest_cylinder_term = 1e-13;

/// Orders 0 and 1.
template <class Lanes>
struct CylinderLanes {
  Lanes re_0, im_0, re_1, im_1;
};

/// J0 and J1 at kr rho by their power series.
template <class Lanes>
THINWIRE_HD THINWIRE_INLINE void bessel_series(const Lanes& rho, HdComplex kr, int terms,
                                               CylinderLanes<Lanes>& out) {
  const HdComplex unit = -0.25 * (kr * kr);
  const Lanes rho2 = rho * rho, q_re = rho2 * unit.re, q_im = rho2 * unit.im, zero{};
  Lanes t_re = zero + 1.0, t_im = zero;
  Lanes j0_re = t_re, j0_im = zero, j1_re = t_re, j1_im = zero;
  for (int m = 1; m <= terms; ++m) {
    const double over = 1.0 / (m * m), next = 1.0 / (m + 1);
    const Lanes re = over * (t_re * q_re - t_im * q_im);
    t_im = over * (t_re * q_im + t_im * q_re);
    t_re = re;
    j0_re += t_re;
    j0_im += t_im;
    j1_re += next * t_re;
    j1_im += next * t_im;
  }
  const Lanes z_re = 0.5 * kr.re * rho, z_im = 0.5 * kr.im * rho;
  out.re_0 = j0_re;
  out.im_0 = j0_im;
  out.re_1 = z_re * j1_re - z_im * j1_im;
  out.im_1 = z_re * j1_im + z_im * j1_re;
}

/// log(w / 2) + gamma less log rho, w = -j kr rho.
THINWIRE_HD inline HdComplex half_log_of(HdComplex kr) {
  constexpr double euler_gamma = 0.57721566490153286061;
  return {std::log(0.5 * std::sqrt(norm(kr))) + euler_gamma, std::atan2(-kr.re, kr.im)};
}

/// H1 / 2 of both orders by the power series of K0 and K1 at w = -j kr rho (Abramowitz
/// and Stegun 9.6.11, 9.6.13).
template <class Lanes>
THINWIRE_HD THINWIRE_INLINE void hankel_series(const Lanes& rho, const Lanes& log_rho,
                                               HdComplex kr, HdComplex half_log,
                                               int terms, CylinderLanes<Lanes>& out) {
  const HdComplex unit = -0.25 * (kr * kr);  // (w / 2)^2 over rho^2
  const Lanes log_re = log_rho + half_log.re;
  const double log_im = half_log.im;
  const Lanes rho2 = rho * rho, q_re = rho2 * unit.re, q_im = rho2 * unit.im, zero{};
  Lanes t_re = zero + 1.0, t_im = zero;
  Lanes k0_re = -log_re, k0_im = zero - log_im, k1_re = log_re - 0.5,
        k1_im = zero + log_im;
  double harmonic = 0;
  for (int m = 1; m <= terms; ++m) {
    const double over = 1.0 / (m * m), next = 1.0 / (m + 1);
    const Lanes re = over * (t_re * q_re - t_im * q_im);
    t_im = over * (t_re * q_im + t_im * q_re);
    t_re = re;
    harmonic += 1.0 / m;
    const Lanes a = harmonic - log_re, b = log_re - (harmonic + 0.5 * next);
    k0_re += t_re * a + t_im * log_im;
    k0_im += t_im * a - t_re * log_im;
    k1_re += next * (t_re * b - t_im * log_im);
    k1_im += next * (t_im * b + t_re * log_im);
  }
  // K1 = 1 / w + w / 2 times the sum.
  const Lanes w_re = kr.im * rho, w_im = -kr.re * rho;
  const Lanes over = 1.0 / (w_re * w_re + w_im * w_im);
  const Lanes k_re = over * w_re + 0.5 * (w_re * k1_re - w_im * k1_im),
              k_im = -over * w_im + 0.5 * (w_re * k1_im + w_im * k1_re);
  // H0 / 2 = -j K0 / pi, H1 / 2 = -K1 / pi.
  out.re_0 = k0_im / pi;
  out.im_0 = -k0_re / pi;
  out.re_1 = -k_re / pi;
  out.im_1 = -k_im / pi;
}

/// Ratios of the successive coefficients of K0 and K1, a_k in Abramowitz and Stegun
/// 9.7.2: (4 n^2 - (2 k - 1)^2) / (8 k), [k].
struct AsymptoticRatios {
  static constexpr int count = 24;
  const double *of_0, *of_1;
};
THINWIRE_HD inline AsymptoticRatios asymptotic_ratios() {
  static constexpr double of_0[AsymptoticRatios::count] = {0,
                                                           -1. / 8,
                                                           -9. / 16,
                                                           -25. / 24,
                                                           -49. / 32,
                                                           -81. / 40,
                                                           -121. / 48,
                                                           -169. / 56,
                                                           -225. / 64,
                                                           -289. / 72,
                                                           -361. / 80,
                                                           -441. / 88,
                                                           -529. / 96,
                                                           -625. / 104,
                                                           -729. / 112,
                                                           -841. / 120,
                                                           -961. / 128,
                                                           -1089. / 136,
                                                           -1225. / 144,
                                                           -1369. / 152,
                                                           -1521. / 160,
                                                           -1681. / 168,
                                                           -1849. / 176,
                                                           -2025. / 184};
  static constexpr double of_1[AsymptoticRatios::count] = {0,
                                                           3. / 8,
                                                           -5. / 16,
                                                           -21. / 24,
                                                           -45. / 32,
                                                           -77. / 40,
                                                           -117. / 48,
                                                           -165. / 56,
                                                           -221. / 64,
                                                           -285. / 72,
                                                           -357. / 80,
                                                           -437. / 88,
                                                           -525. / 96,
                                                           -621. / 104,
                                                           -725. / 112,
                                                           -837. / 120,
                                                           -957. / 128,
                                                           -1085. / 136,
                                                           -1221. / 144,
                                                           -1365. / 152,
                                                           -1517. / 160,
                                                           -1677. / 168,
                                                           -1845. / 176,
                                                           -2021. / 184};
  return {of_0, of_1};
}

/// e^{-w} sqrt(pi / (2 w)) / 2, o = 1 / w, size = |o|^2.
THINWIRE_HD THINWIRE_INLINE void macdonald_wave(double w_re, double w_im, double size,
                                                double o_re, double o_im, double& f_re,
                                                double& f_im) {
  double sine, cosine;
  sincos_simd(w_im, sine, cosine);
  const double large = exp_simd(-w_re);
  const double re = std::sqrt(0.25 * pi * (std::sqrt(size) + o_re));
  const double im = 0.25 * pi * o_im / re;
  f_re = large * (re * cosine + im * sine);
  f_im = large * (im * cosine - re * sine);
}
template <class Lanes>
THINWIRE_INLINE void macdonald_wave(const Lanes& w_re, const Lanes& w_im,
                                    const Lanes& size, const Lanes& o_re,
                                    const Lanes& o_im, Lanes& f_re, Lanes& f_im) {
  for (unsigned l = 0; l < sizeof(Lanes) / sizeof(double); ++l) {
    double re, im;
    macdonald_wave(w_re[l], w_im[l], size[l], o_re[l], o_im[l], re, im);
    f_re[l] = re;
    f_im[l] = im;
  }
}

/// H1 / 2 by the asymptotic series.
template <class Lanes>
THINWIRE_HD THINWIRE_INLINE void hankel_asymptotic(const Lanes& rho, HdComplex kr,
                                                   int terms, CylinderLanes<Lanes>& out) {
  const Lanes w_re = kr.im * rho, w_im = -kr.re * rho;
  const Lanes size = 1.0 / (w_re * w_re + w_im * w_im);
  const Lanes o_re = size * w_re, o_im = -size * w_im, zero{};  // 1 / w
  Lanes s0_re = zero + 1.0, s0_im = zero, s1_re = s0_re, s1_im = zero;
  const AsymptoticRatios ratios = asymptotic_ratios();
  for (int k = terms; k >= 1; --k) {  // nested
    const Lanes re_0 = s0_re * o_re - s0_im * o_im, re_1 = s1_re * o_re - s1_im * o_im;
    s0_im = ratios.of_0[k] * (s0_re * o_im + s0_im * o_re);
    s1_im = ratios.of_1[k] * (s1_re * o_im + s1_im * o_re);
    s0_re = 1.0 + ratios.of_0[k] * re_0;
    s1_re = 1.0 + ratios.of_1[k] * re_1;
  }
  Lanes f_re, f_im;
  macdonald_wave(w_re, w_im, size, o_re, o_im, f_re, f_im);
  out.re_0 = (f_re * s0_im + f_im * s0_re) / pi;
  out.im_0 = -(f_re * s0_re - f_im * s0_im) / pi;
  out.re_1 = -(f_re * s1_re - f_im * s1_im) / pi;
  out.im_1 = -(f_re * s1_im + f_im * s1_re) / pi;
}

/// J by the asymptotic series: H1 / 2 and H2 / 2, the conjugate of H1 / 2 at the
/// conjugate of kr.
template <class Lanes>
THINWIRE_HD THINWIRE_INLINE void bessel_asymptotic(const Lanes& rho, HdComplex kr,
                                                   int terms, CylinderLanes<Lanes>& out) {
  CylinderLanes<Lanes> second;
  hankel_asymptotic(rho, kr, terms, out);
  hankel_asymptotic(rho, conj(kr), terms, second);
  out.re_0 += second.re_0;
  out.im_0 -= second.im_0;
  out.re_1 += second.re_1;
  out.im_1 -= second.im_1;
}

/// Terms of the power series at this |kr rho|.
THINWIRE_HD inline int series_terms(double z) {
  double term = 1;
  int m = 0;
  while (term > smallest_cylinder_term || m < 0.5 * z) {
    ++m;
    term *= 0.25 * z * z / (m * m);
  }
  return m;
}

/// Terms of the asymptotic series.
THINWIRE_HD inline int asymptotic_terms(double z) {
  const AsymptoticRatios ratios = asymptotic_ratios();
  double term = 1;
  int k = 1;
  while (k < AsymptoticRatios::count - 1 && term > smallest_cylinder_term) {
    const double next =
        term * std::fmax(std::fabs(ratios.of_0[k]), std::fabs(ratios.of_1[k])) / z;
    if (next > term) break;  // it diverges from here on
    term = next;
    ++k;
  }
  return k - 1;
}

}  // namespace thinwire
