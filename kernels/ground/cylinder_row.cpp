#include "kernels/ground/cylinder_row.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/simd_clones.h"
#include "kernels/ground/cylinder_series.h"

namespace thinwire {
namespace {

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
THINWIRE_INLINE void store(const CylinderLanes<Eight>& from, std::size_t at,
                           const Orders& to) {
  store(from.re_0, to.re_0 + at);
  store(from.im_0, to.im_0 + at);
  store(from.re_1, to.re_1 + at);
  store(from.im_1, to.im_1 + at);
}

THINWIRE_SIMD_CLONES
void set_bessel_series(const double* rho, std::size_t count, HdComplex kr, int terms,
                       Orders out) {
  for (std::size_t i = 0; i < count; i += lane_group) {
    Eight r;
    CylinderLanes<Eight> j;
    load(rho + i, r);
    bessel_series(r, kr, terms, j);
    store(j, i, out);
  }
}

THINWIRE_SIMD_CLONES
void set_hankel_series(const double* rho, const double* log_rho, std::size_t count,
                       HdComplex kr, int terms, Orders out) {
  const HdComplex half_log = half_log_of(kr);
  for (std::size_t i = 0; i < count; i += lane_group) {
    Eight r, log_r;
    CylinderLanes<Eight> h;
    load(rho + i, r);
    load(log_rho + i, log_r);
    hankel_series(r, log_r, kr, half_log, terms, h);
    store(h, i, out);
  }
}

THINWIRE_SIMD_CLONES
void set_asymptotic(CylinderFactor factor, const double* rho, std::size_t count,
                    HdComplex kr, int terms, Orders out) {
  for (std::size_t i = 0; i < count; i += lane_group) {
    Eight r;
    CylinderLanes<Eight> of;
    load(rho + i, r);
    if (factor == CylinderFactor::bessel)
      bessel_asymptotic(r, kr, terms, of);
    else
      hankel_asymptotic(r, kr, terms, of);
    store(of, i, out);
  }
}

}  // namespace

CylinderRow::CylinderRow(std::span<const double> rho) : count_(rho.size()) {
  min_ = *std::min_element(rho.begin(), rho.end());
  max_ = *std::max_element(rho.begin(), rho.end());
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
  const double size = abs(kr), least = size * min_, most = size * max_;
  const bool any_near = least < cylinder_series_end,
             any_far = most >= cylinder_series_end;
  const auto orders_in = [](Lanes* lanes) {
    return Orders{lanes[0].data(), lanes[1].data(), lanes[2].data(), lanes[3].data()};
  };
  if (any_near) {
    const int terms = series_terms(std::min(most, cylinder_series_end));
    if (factor == CylinderFactor::bessel)
      set_bessel_series(rho_.data(), rho_.size(), at, terms, orders_in(near_));
    else
      set_hankel_series(rho_.data(), log_rho_.data(), rho_.size(), at, terms,
                        orders_in(near_));
  }
  if (any_far)
    set_asymptotic(factor, rho_.data(), rho_.size(), at,
                   asymptotic_terms(std::max(least, cylinder_series_end)),
                   orders_in(far_));
  Lanes* const to[] = {&re_0_, &im_0_, &re_1_, &im_1_};
  for (int n = 0; n < 4; ++n) {
    const double sign = second && n % 2 == 1 ? -1 : 1;
    for (std::size_t i = 0; i < rho_.size(); ++i)
      (*to[n])[i] =
          sign * (size * rho_[i] < cylinder_series_end ? near_[n][i] : far_[n][i]);
  }
}

}  // namespace thinwire
