#include "kernels/ground/complex_bessel.h"

#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/simd_clones.h"
#include "kernels/base/sincos.h"

namespace thinwire {
namespace {

constexpr double euler_gamma = 0.57721566490153286061;
constexpr double smallest_change = 1e-16;

HdComplex from(Complex z) {
  return {z.real(), z.imag()};
}

/// K0 and K1 of w, |w| < 4 (Abramowitz and Stegun 9.6.11, 9.6.13).
CylinderPair macdonald_series(HdComplex w) {
  const HdComplex quarter = 0.25 * (w * w);
  const HdComplex half_log = from(std::log(0.5 * Complex(w))) + HdComplex{euler_gamma, 0};
  HdComplex term{1, 0};  // (w^2/4)^m / m!^2
  HdComplex i0 = term, k0 = -1.0 * half_log;
  HdComplex i1_over = term;  // sum of (w^2/4)^m / (m! (m + 1)!), I1 = w/2 of it
  HdComplex k1_sum = half_log + HdComplex{-0.5, 0};
  double harmonic = 0;
  for (int m = 1; m < 40; ++m) {
    term = (1.0 / (m * m)) * (term * quarter);
    harmonic += 1.0 / m;
    i0 += term;
    k0 += term * (HdComplex{harmonic, 0} - half_log);
    const HdComplex term_1 = (1.0 / (m + 1)) * term;
    i1_over += term_1;
    k1_sum += term_1 * (half_log - HdComplex{harmonic + 0.5 / (m + 1), 0});
    if (norm(term) < smallest_change * smallest_change) break;
  }
  return {k0, HdComplex{1, 0} / w + 0.5 * (w * k1_sum)};
}

/// The integrals sqrt(2 w / pi) e^w K0 = (2 / sqrt pi) Int e^{-y^2} / s dy, K1 the same
/// of 2 y^2 s, s^2 = 1 + y^2 / (2 w), over y > 0 (from Abramowitz and Stegun 9.6.23), by
/// the Gauss-Hermite rule of 2 n points.
template <int n>
struct HermiteRule {
  double half_square[n];  ///< y^2 / 2
  double weight_0[n], weight_1[n];
};
// clang-format off
constexpr HermiteRule<12> fine = {
    {0.025180944558646976, 0.22725334078189014, 0.63479497005198074, 1.254924048616064, 2.0992078224392066, 3.1849876940153175, 4.5377171154806015, 6.1952239819047357, 8.2160975438376565, 10.698377968083055, 13.830554389923045, 18.095680180307801},
    {0.48174023109328065, 0.32291902573400017, 0.14413872803435666, 0.042252688817935093, 0.0079532178583626173, 0.0009294374375587914, 6.4190011305491825e-5, 2.4353194908851626e-6, 4.534923346961284e-8, 3.437329855929716e-10, 7.4299483055247971e-13, 1.8780387378083912e-16},
    {0.048522696203318728, 0.29353770960033877, 0.36599415818360013, 0.21209566126527121, 0.066781828567352, 0.011840987203927523, 0.0011651044517752943, 6.0349398854127164e-5, 1.490374902898426e-6, 1.470954159988503e-8, 4.1104121661550908e-11, 1.3593755346243833e-14},
};
constexpr HermiteRule<6> coarse = {
    {0.049373507034240591, 0.44915141728480885, 1.2762949013340856, 2.5980762650272328, 4.5621240187655894, 7.5649798905540427},
    {0.64332872302565998, 0.29393409609065998, 0.058233375824728302, 0.0044067613750663977, 9.6743698451812556e-5, 2.9998543352743357e-7},
    {0.12705358092654576, 0.52808366338979648, 0.29729184261028935, 0.045796408536795117, 0.0017654270014849177, 9.0775350883766857e-6},
};
// clang-format on
/// From here on each rule is good to 1e-13, |arg w| up to 104 degrees (8 there).
constexpr double fine_from = 4, coarse_from = 18;

template <int n>
THINWIRE_INLINE CylinderPair macdonald_hermite(const HermiteRule<n>& rule, HdComplex w) {
  const HdComplex over = HdComplex{1, 0} / w;
  double re_0 = 0, im_0 = 0, re_1 = 0, im_1 = 0;
#pragma omp simd reduction(+ : re_0, im_0, re_1, im_1)
  for (int i = 0; i < n; ++i) {
    const double re = 1 + rule.half_square[i] * over.re;
    const double im = rule.half_square[i] * over.im;
    const double size = std::sqrt(re * re + im * im);
    const double s_re = std::sqrt(0.5 * (size + re)), s_im = 0.5 * im / s_re;
    re_0 += rule.weight_0[i] / size * s_re;
    im_0 -= rule.weight_0[i] / size * s_im;
    re_1 += rule.weight_1[i] * s_re;
    im_1 += rule.weight_1[i] * s_im;
  }
  return {{re_0, im_0}, {re_1, im_1}};
}

/// sqrt(2 w / pi) e^w times K0 and K1.
THINWIRE_SIMD_CLONES
CylinderPair macdonald_scaled(HdComplex w) {
  return norm(w) < coarse_from * coarse_from ? macdonald_hermite(fine, w)
                                             : macdonald_hermite(coarse, w);
}

/// e^{-w} sqrt(pi / (2 w)).
HdComplex macdonald_scale(HdComplex w) {
  double sine, cosine;
  sincos_simd(w.im, sine, cosine);
  const HdComplex over = HdComplex{1, 0} / w;
  const double size = abs(over);
  const double re = std::sqrt(0.5 * pi * 0.5 * (size + over.re));
  const HdComplex root{re, 0.25 * pi * over.im / re};
  return std::exp(-w.re) * (root * HdComplex{cosine, -sine});
}

}  // namespace

CylinderPair hankel_1(HdComplex z) {
  // H0 = (2 / (j pi)) K0(-jz), H1 = -(2 / pi) K1(-jz).
  const HdComplex w{z.im, -z.re};
  CylinderPair k;
  const double size2 = norm(w);
  if (size2 < fine_from * fine_from) {
    k = macdonald_series(w);
  } else {
    k = macdonald_scaled(w);
    const HdComplex scale = macdonald_scale(w);
    k = {scale * k.order_0, scale * k.order_1};
  }
  return {HdComplex{0, -2 / pi} * k.order_0, (-2 / pi) * k.order_1};
}

CylinderPair hankel_2(HdComplex z) {
  const CylinderPair h = hankel_1(conj(z));
  return {conj(h.order_0), conj(h.order_1)};
}

CylinderPair bessel_j(HdComplex z) {
  if (norm(z) >= 64) {
    const CylinderPair h1 = hankel_1(z), h2 = hankel_2(z);
    return {0.5 * (h1.order_0 + h2.order_0), 0.5 * (h1.order_1 + h2.order_1)};
  }
  const HdComplex quarter = -0.25 * (z * z);
  HdComplex term{1, 0}, j0 = term, j1 = term;
  for (int m = 1; m < 60; ++m) {
    term = (1.0 / (m * m)) * (term * quarter);
    j0 += term;
    j1 += (1.0 / (m + 1)) * term;
    if (norm(term) < smallest_change * smallest_change) break;
  }
  return {j0, 0.5 * (z * j1)};
}

CylinderPair cylinder(CylinderFactor factor, HdComplex z) {
  if (factor == CylinderFactor::bessel) return bessel_j(z);
  const CylinderPair h =
      factor == CylinderFactor::half_hankel_1 ? hankel_1(z) : hankel_2(z);
  return {0.5 * h.order_0, 0.5 * h.order_1};
}

}  // namespace thinwire
