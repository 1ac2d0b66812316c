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
struct FarPair {
  double d2, dp, dq;  ///< |D|^2, D . t_p, D . t_q
  double cosine;      ///< t_p . t_q
  double half_p, half_q;
  double a_p, a_q, k;
  RadiusTerms<double> radius;

  THINWIRE_HD static THINWIRE_INLINE FarPair of(const Element& p, const Element& q,
                                                double k, bool exact) {
    const Vec3 d = p.start_m - q.start_m;
    const double a2 = p.radius_m * p.radius_m, b2 = q.radius_m * q.radius_m;
    const RadiusTerms<double> radius = exact
                                           ? RadiusTerms<double>{0.25 * a2, 0.25 * b2, 0}
                                           : RadiusTerms<double>{0, 0, 0.5 * (a2 + b2)};
    return {dot(d, d),
            dot(d, p.tangent),
            dot(d, q.tangent),
            dot(p.tangent, q.tangent),
            0.5 * p.length_m,
            0.5 * q.length_m,
            p.radius_m,
            q.radius_m,
            k,
            radius};
  }

  /// Green's function between points at these distances from the starts.
  template <bool series>
  THINWIRE_HD THINWIRE_INLINE HdComplex greens(double s, double t) const {
    const double dot_p = dp + s - t * cosine, dot_q = dq + s * cosine - t;
    // |r|^2 = D^2 + s (D + r) . t_p - s' (D + r) . t_q
    const double r2 = d2 + s * (dp + dot_p) - t * (dq + dot_q);
    if constexpr (series) return tube_series(r2, dot_p, dot_q, cosine, a_p, a_q, k);
    return far_greens(r2, dot_p, dot_q, k, radius);
  }
};

/// For one point of p, the sums over the points of q of G u_j and of G u_j' / k.
struct FarSum {
  HdComplex value, derivative;

  THINWIRE_HD THINWIRE_INLINE void add(HdComplex g, double u, double u_derivative) {
    value += u * g;
    derivative += u_derivative * g;
  }
  /// z += j (v sum_value - w sum_derivative).
  THINWIRE_HD THINWIRE_INLINE void add_to(HdComplex& z, double v, double w) const {
    z.re -= v * value.im - w * derivative.im;
    z.im += v * value.re - w * derivative.re;
  }
};

}  // namespace thinwire
