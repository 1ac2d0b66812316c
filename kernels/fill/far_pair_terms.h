#pragma once

#include "kernels/base/constants.h"
#include "kernels/element/far_kernel.h"
#include "kernels/element/tube_kernel.h"

namespace thinwire {

/// A far pair as far_pair.cpp and fill_far.cuh integrate it; only their loops differ,
/// over lanes in the one and over points in the other. A fill of 720 unknowns takes 0.8 %
/// fewer instructions than with the formulas written out in the loops over lanes
/// (callgrind, AVX2).

/// A far pair's product of two Gauss rules, as a lane of vectors on a CPU and a thread on
/// a GPU have it. What depends on a pair of points is a function of the distances s and
/// s' from the starts alone: r = D + s t_p - s' t_q.
template <class Real>
struct BasicFarPair {
  Real d2, dp, dq;  ///< |D|^2, D . t_p, D . t_q
  Real cosine;      ///< t_p . t_q
  Real half_p, half_q;
  Real a_p, a_q, k;
  RadiusTerms<Real> radius;

  THINWIRE_HD static THINWIRE_INLINE BasicFarPair of(const Element& p, const Element& q,
                                                     double k, bool exact) {
    const Vec3 d = p.start_m - q.start_m;
    const double a2 = p.radius_m * p.radius_m, b2 = q.radius_m * q.radius_m;
    return {Real(dot(d, d)),
            Real(dot(d, p.tangent)),
            Real(dot(d, q.tangent)),
            Real(dot(p.tangent, q.tangent)),
            Real(0.5 * p.length_m),
            Real(0.5 * q.length_m),
            Real(p.radius_m),
            Real(q.radius_m),
            Real(k),
            {Real(exact ? 0.25 * a2 : 0), Real(exact ? 0.25 * b2 : 0),
             Real(exact ? 0 : 0.5 * (a2 + b2))}};
  }

  /// Green's function between points at these distances from the starts.
  template <bool series>
  THINWIRE_HD THINWIRE_INLINE BasicComplex<Real> greens(Real s, Real t) const {
    const Real dot_p = dp + s - t * cosine, dot_q = dq + s * cosine - t;
    // |r|^2 = D^2 + s (D + r) . t_p - s' (D + r) . t_q
    const Real r2 = d2 + s * (dp + dot_p) - t * (dq + dot_q);
    if constexpr (series) return tube_series(r2, dot_p, dot_q, cosine, a_p, a_q, k);
    return far_greens(r2, dot_p, dot_q, k, radius);
  }
};
using FarPair = BasicFarPair<double>;

/// For one point of p, the sums over the points of q of G u_j and of G u_j' / k.
template <class Real>
struct BasicFarSum {
  BasicComplex<Real> value, derivative;

  THINWIRE_HD THINWIRE_INLINE void add(BasicComplex<Real> g, Real u, Real u_derivative) {
    value += u * g;
    derivative += u_derivative * g;
  }
  /// z += j (v sum_value - w sum_derivative).
  THINWIRE_HD THINWIRE_INLINE void add_to(BasicComplex<Real>& z, Real v, Real w) const {
    z.re -= v * value.im - w * derivative.im;
    z.im += v * value.re - w * derivative.re;
  }
};
using FarSum = BasicFarSum<double>;

}  // namespace thinwire
