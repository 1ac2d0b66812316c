#include "kernels/ground/cylinder_row.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/exp.h"
#include "kernels/base/simd_clones.h"
#include "kernels/base/sincos.h"

namespace thinwire {
namespace {

constexpr double euler_gamma = 0.57721566490153286061;
/// Of |z|: the power series below, the asymptotic one from here on.
constexpr double series_end = 11;
constexpr double smallest_term = 1e-13;
constexpr std::size_t lane_group = 8;

/// Lanes that a loop over terms keeps in registers.
using Eight = double __attribute__((vector_size(8 * lane_group)));

THINWIRE_INLINE void load(const double* from, Eight& to) {
  __builtin_memcpy(&to, from, sizeof to);
}
THINWIRE_INLINE void store(const Eight& from, double* to) {
  __builtin_memcpy(to, &from, sizeof from);
}

/// Lanes of the orders 0 and 1, real and imaginary.
struct Orders {
  double *re_0, *im_0, *re_1, *im_1;
};

/// J0 and J1 by their power series.
THINWIRE_SIMD_CLONES
void bessel_series(const double* rho, std::size_t count, HdComplex kr, int terms,
                   Orders out) {
  const HdComplex unit = -0.25 * (kr * kr);
  for (std::size_t i = 0; i < count; i += lane_group) {
    Eight r;
    load(rho + i, r);
    const Eight rho2 = r * r, q_re = rho2 * unit.re, q_im = rho2 * unit.im, zero{};
    Eight t_re = zero + 1, t_im = zero;
    Eight j0_re = t_re, j0_im = zero, j1_re = t_re, j1_im = zero;
    for (int m = 1; m <= terms; ++m) {
      const double over = 1.0 / (m * m), next = 1.0 / (m + 1);
      const Eight re = over * (t_re * q_re - t_im * q_im);
      t_im = over * (t_re * q_im + t_im * q_re);
      t_re = re;
      j0_re += t_re;
      j0_im += t_im;
      j1_re += next * t_re;
      j1_im += next * t_im;
    }
    const Eight z_re = 0.5 * kr.re * r, z_im = 0.5 * kr.im * r;
    store(j0_re, out.re_0 + i);
    store(j0_im, out.im_0 + i);
    store(z_re * j1_re - z_im * j1_im, out.re_1 + i);
    store(z_re * j1_im + z_im * j1_re, out.im_1 + i);
  }
}

/// H1 / 2 of both orders by the power series of K0 and K1 at w = -j z (Abramowitz and
/// Stegun 9.6.11, 9.6.13). half_log: log(w / 2) + gamma less log rho.
THINWIRE_SIMD_CLONES
void hankel_series(const double* rho, const double* log_rho, std::size_t count,
                   HdComplex kr, HdComplex half_log, int terms, Orders out) {
  const HdComplex unit = -0.25 * (kr * kr);  // (w / 2)^2 over rho^2
  for (std::size_t i = 0; i < count; i += lane_group) {
    Eight r, log_re;
    load(rho + i, r);
    load(log_rho + i, log_re);
    log_re += half_log.re;
    const double log_im = half_log.im;
    const Eight rho2 = r * r, q_re = rho2 * unit.re, q_im = rho2 * unit.im, zero{};
    Eight t_re = zero + 1, t_im = zero;
    Eight k0_re = -log_re, k0_im = zero - log_im, k1_re = log_re - 0.5,
          k1_im = zero + log_im;
    double harmonic = 0;
    for (int m = 1; m <= terms; ++m) {
      const double over = 1.0 / (m * m), next = 1.0 / (m + 1);
      const Eight re = over * (t_re * q_re - t_im * q_im);
      t_im = over * (t_re * q_im + t_im * q_re);
      t_re = re;
      harmonic += 1.0 / m;
      const Eight a = harmonic - log_re, b = log_re - (harmonic + 0.5 * next);
      k0_re += t_re * a + t_im * log_im;
      k0_im += t_im * a - t_re * log_im;
      k1_re += next * (t_re * b - t_im * log_im);
      k1_im += next * (t_im * b + t_re * log_im);
    }
    // K1 = 1 / w + w / 2 times the sum, w = -j z.
    const Eight w_re = kr.im * r, w_im = -kr.re * r;
    const Eight over = 1 / (w_re * w_re + w_im * w_im);
    const Eight k_re = over * w_re + 0.5 * (w_re * k1_re - w_im * k1_im),
                k_im = -over * w_im + 0.5 * (w_re * k1_im + w_im * k1_re);
    // H0 / 2 = -j K0 / pi, H1 / 2 = -K1 / pi.
    store(k0_im / pi, out.re_0 + i);
    store(-k0_re / pi, out.im_0 + i);
    store(-k_re / pi, out.re_1 + i);
    store(-k_im / pi, out.im_1 + i);
  }
}

constexpr int most_asymptotic_terms = 24;
/// Of K0 and K1, a_k in Abramowitz and Stegun 9.7.2, each over the one before.
struct AsymptoticRatios {
  double of_0[most_asymptotic_terms], of_1[most_asymptotic_terms];
  constexpr AsymptoticRatios() : of_0(), of_1() {
    for (int k = 1; k < most_asymptotic_terms; ++k) {
      const double odd = (2.0 * k - 1) * (2.0 * k - 1);
      of_0[k] = -odd / (8.0 * k);
      of_1[k] = (4 - odd) / (8.0 * k);
    }
  }
};
constexpr AsymptoticRatios ratios;

/// out = H1(z) / 2 where not `add`, else += conj of it: H2 is the conjugate of H1 at the
/// conjugate of z.
template <bool add>
THINWIRE_INLINE void asymptotic(const double* rho, std::size_t count, HdComplex kr,
                                int terms, Orders out) {
  for (std::size_t i = 0; i < count; i += lane_group) {
    Eight r;
    load(rho + i, r);
    const Eight w_re = kr.im * r, w_im = -kr.re * r;
    const Eight size = 1 / (w_re * w_re + w_im * w_im);
    const Eight o_re = size * w_re, o_im = -size * w_im, zero{};  // 1 / w
    Eight s0_re = zero + 1, s0_im = zero, s1_re = s0_re, s1_im = zero;
    for (int k = terms; k >= 1; --k) {  // nested
      const Eight re_0 = s0_re * o_re - s0_im * o_im, re_1 = s1_re * o_re - s1_im * o_im;
      s0_im = ratios.of_0[k] * (s0_re * o_im + s0_im * o_re);
      s1_im = ratios.of_1[k] * (s1_re * o_im + s1_im * o_re);
      s0_re = 1 + ratios.of_0[k] * re_0;
      s1_re = 1 + ratios.of_1[k] * re_1;
    }
    // e^{-w} sqrt(pi / (2 w))
    Eight f_re, f_im;
    for (std::size_t l = 0; l < lane_group; ++l) {
      double sine, cosine;
      sincos_simd(w_im[l], sine, cosine);
      const double large = exp_simd(-w_re[l]);
      const double re = std::sqrt(0.25 * pi * (std::sqrt(size[l]) + o_re[l]));
      const double im = 0.25 * pi * o_im[l] / re;
      f_re[l] = large * (re * cosine + im * sine);
      f_im[l] = large * (im * cosine - re * sine);
    }
    const Eight k0_re = f_re * s0_re - f_im * s0_im, k0_im = f_re * s0_im + f_im * s0_re;
    const Eight k1_re = f_re * s1_re - f_im * s1_im, k1_im = f_re * s1_im + f_im * s1_re;
    const Eight half[] = {k0_im / pi, -k0_re / pi, -k1_re / pi, -k1_im / pi};
    double* const to[] = {out.re_0 + i, out.im_0 + i, out.re_1 + i, out.im_1 + i};
    for (int n = 0; n < 4; ++n) {
      Eight sum{};
      if (add) load(to[n], sum);
      store(add && n % 2 == 1 ? sum - half[n] : sum + half[n], to[n]);
    }
  }
}
THINWIRE_SIMD_CLONES
void hankel_asymptotic(const double* rho, std::size_t count, HdComplex kr, int terms,
                       Orders out) {
  asymptotic<false>(rho, count, kr, terms, out);
}
THINWIRE_SIMD_CLONES
void bessel_asymptotic(const double* rho, std::size_t count, HdComplex kr, int terms,
                       Orders out) {
  asymptotic<false>(rho, count, kr, terms, out);
  asymptotic<true>(rho, count, conj(kr), terms, out);
}

/// Of the power series at this |z|.
int series_terms(double z) {
  double term = 1;
  int m = 0;
  while (term > smallest_term || m < 0.5 * z) {
    ++m;
    term *= 0.25 * z * z / (m * m);
  }
  return m;
}

int asymptotic_terms(double z) {
  double term = 1;
  int k = 1;
  while (k < most_asymptotic_terms - 1 && term > smallest_term) {
    const double next =
        term * std::max(std::fabs(ratios.of_0[k]), std::fabs(ratios.of_1[k])) / z;
    if (next > term) break;  // it diverges from here on
    term = next;
    ++k;
  }
  return k - 1;
}

}  // namespace

CylinderRow::CylinderRow(std::span<const double> rho) : count_(rho.size()) {
  least_ = *std::min_element(rho.begin(), rho.end());
  most_ = *std::max_element(rho.begin(), rho.end());
  rho_.assign(rho.begin(), rho.end());
  rho_.resize((count_ + lane_group - 1) / lane_group * lane_group, rho_.back());
  for (const double r : rho_) log_rho_.push_back(std::log(r));
  for (Lanes* lanes : {&re_0_, &im_0_, &re_1_, &im_1_}) lanes->resize(rho_.size());
  for (int n = 0; n < 4; ++n) {
    near_[n].resize(rho_.size());
    far_[n].resize(rho_.size());
  }
}

void CylinderRow::set(CylinderFactor factor, HdComplex kr) {
  const bool second = factor == CylinderFactor::half_hankel_2;
  const HdComplex at = second ? conj(kr) : kr;
  const double size = abs(kr), least = size * least_, most = size * most_;
  const bool any_near = least < series_end, any_far = most >= series_end;
  const auto orders_in = [](Lanes* lanes) {
    return Orders{lanes[0].data(), lanes[1].data(), lanes[2].data(), lanes[3].data()};
  };
  if (any_near) {
    const int terms = series_terms(std::min(most, series_end));
    if (factor == CylinderFactor::bessel) {
      bessel_series(rho_.data(), rho_.size(), at, terms, orders_in(near_));
    } else {
      const Complex log = std::log(Complex(0.5 * at.im, -0.5 * at.re)) + euler_gamma;
      hankel_series(rho_.data(), log_rho_.data(), rho_.size(), at,
                    {log.real(), log.imag()}, terms, orders_in(near_));
    }
  }
  if (any_far) {
    const int terms = asymptotic_terms(std::max(least, series_end));
    (factor == CylinderFactor::bessel ? bessel_asymptotic : hankel_asymptotic)(
        rho_.data(), rho_.size(), at, terms, orders_in(far_));
  }
  Lanes* const to[] = {&re_0_, &im_0_, &re_1_, &im_1_};
  for (int n = 0; n < 4; ++n) {
    const double sign = second && n % 2 == 1 ? -1 : 1;
    for (std::size_t i = 0; i < rho_.size(); ++i)
      (*to[n])[i] = sign * (size * rho_[i] < series_end ? near_[n][i] : far_[n][i]);
  }
}

}  // namespace thinwire
