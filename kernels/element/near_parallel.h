#pragma once

#include <cmath>

#include "kernels/element/pair_kernel.h"
#include "kernels/element/pair_shape.h"
#include "kernels/element/tube_kernel.h"

namespace thinwire {

/// Axes that are this close, over both radii, are one.
inline constexpr double coaxial_offset = 1e-7;

/// Integrals over one piece of the axial offset t, weighted with cos k(t - origin) and
/// sin k(t - origin).
template <class Real>
struct OffsetMoments {
  BasicComplex<Real> cosine, sine;
};

/// Calls add(t, weight) for the points of a quadrature over t0 <= t <= t1 that is split
/// at t = 0 and graded towards it, for an integrand with the singularities of G, a
/// function of t^2. A part shorter than `sliver` beside zero is rounding: left out; but
/// ends there keep their derivatives, on the side that has the other end.
template <class Real, class Green, class Add>
THINWIRE_HD inline void for_offsets(const Green& green, Real t0, Real t1, double k,
                                    Real sliver, const Add& add) {
  if constexpr (has_derivatives<Real>)
    if (t1 - t0 <= sliver) {
      // A piece without length that grows; off the axis G is finite there.
      if (green.scale_m > 0) add(t0, t1 - t0);
      return;
    }
  for (int side = 0; side < 2; ++side) {
    const double sign = side == 0 ? 1 : -1;
    const Real from = side == 0 ? t0 : -t1, y1 = side == 0 ? t1 : -t0;
    const Real y0 = has_derivatives<Real> && from > -sliver ? from : fmax(Real(0), from);
    if (y1 <= sliver) continue;
    constexpr Accuracy accuracy{11.5, 14};  // 1e-10
    graded_integral(y0, y1, green.scale_m, green.width_m, k, accuracy,
                    [&](Real y, Real w) { add(sign * y, w); });
  }
}

template <class Real, class Green>
THINWIRE_HD inline OffsetMoments<Real> offset_moments(const Green& green, Real t0,
                                                      Real t1, Real origin, double k,
                                                      Real sliver) {
  OffsetMoments<Real> sum;
  for_offsets(green, t0, t1, k, sliver, [&](Real t, Real weight) {
    const BasicComplex<Real> g = weight * green(t * t);
    const Real x = k * (t - origin);
    sum.cosine += cos(x) * g;
    sum.sine += sin(x) * g;
  });
  return sum;
}

/// Element matrix of two parallel elements with tangents of the same sense, the second
/// starting `offset` further along, for a Green's function of the axial distance.
///
/// The double integral becomes one over t = s' - s: the correlation of two shape
/// functions over their overlap of length D and centre m has a closed form, and the two
/// terms of the mixed potential add up to
///   z[i][j] = (j eta0 / 4 pi) Int W_ij(t) G(t) dt,
///   W_ij = -(-1)^(i+j) sin(k D) cos k(2 m + t - d - (1-i) L_p - (1-j) L_q)
///          / (sin k L_p sin k L_q),
/// with d the offset: no cancellation for any k L. D rises, stays and falls, and where it
/// rises or falls the cosine is constant.
template <class Real, class Green>
THINWIRE_HD inline BasicElementMatrix<Real> parallel_matrix(const Green& green, Real lp,
                                                            Real lq, Real offset,
                                                            double k) {
  const Real shorter = fmin(lp, lq);
  const Real rise_end = lp < lq ? offset : offset + (lq - lp);
  const Real fall_start = lp < lq ? offset + (lq - lp) : offset;
  const Real first = offset - lp;
  const Real last = offset + lq;
  const Real sliver = 1e-13 * (lp + lq);
  const BasicComplex<Real> rise =
      offset_moments(green, first, rise_end, first, k, sliver).sine;
  const BasicComplex<Real> fall =
      -1.0 * offset_moments(green, fall_start, last, last, k, sliver).sine;
  OffsetMoments<Real> flat;
  if (has_derivatives<Real> || fall_start - rise_end > sliver) {
    const Real middle = offset + 0.5 * (lq - lp);
    flat = offset_moments(green, rise_end, fall_start, middle, k, sliver);
    flat.cosine = sin(k * shorter) * flat.cosine;
    flat.sine = (lp < lq ? -1 : 1) * sin(k * shorter) * flat.sine;
  }
  const Real scale = eta0_ohm / (4 * pi * sin(k * lp) * sin(k * lq));
  BasicElementMatrix<Real> m;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const Real phase = k * ((i - 0.5) * lp + (j - 0.5) * lq);
      BasicComplex<Real> w = cos(k * (i * lp - (1 - j) * lq)) * rise;
      w += cos(k * (j * lq - (1 - i) * lp)) * fall;
      w += cos(phase) * flat.cosine;
      w += sin(phase) * flat.sine;
      const Real sign = i == j ? -scale : scale;
      m.z[i][j] = {-sign * w.im, sign * w.re};
    }
  }
  return m;
}

/// Green's function of parallel tubes as a function of t^2: `AxisDistanceKernel` with the
/// distance between the axes added, or the mean over both circumferences.
template <class Real, class Wavenumber>
struct OffAxisKernel {
  AxisDistanceKernel<Real, Wavenumber> kernel;
  Real distance2{};
  Real scale_m{}, width_m{};

  THINWIRE_HD BasicComplex<Real> operator()(Real t2) const {
    return kernel(t2 + distance2);
  }
};

template <class Real, class Wavenumber>
THINWIRE_HD inline OffAxisKernel<Real, Wavenumber> off_axis_kernel(Real a, Real b,
                                                                   Real distance,
                                                                   Wavenumber k,
                                                                   GreensKernel kernel) {
  OffAxisKernel<Real, Wavenumber> green;
  green.kernel = axis_distance_kernel(a, b, k, kernel);
  // Distances far below the radius are rounding of a coaxial pair.
  const Real off_axis = distance > coaxial_offset * (a + b) ? distance : Real(0);
  green.distance2 = off_axis * off_axis;
  green.scale_m = sqrt(green.distance2 + green.kernel.scale_m * green.kernel.scale_m);
  green.width_m = green.kernel.width_m;
  return green;
}

/// Position of the second of two parallel elements relative to the first: the distance
/// between their axes, and the offset at which it starts, turned to the sense of the
/// first if opposed.
template <class Real>
struct ParallelPlace {
  bool opposed;
  Real offset, distance;

  THINWIRE_HD ParallelPlace(const BasicElement<Real>& p, const BasicElement<Real>& q)
      : opposed(dot(p.tangent, q.tangent) < 0) {
    const BasicVec3<Real> start =
        opposed ? q.start_m + q.length_m * q.tangent : q.start_m;
    const BasicVec3<Real> step = start - p.start_m;
    offset = dot(step, p.tangent);
    distance = norm(cross(step, p.tangent));
  }
};

/// Whether near_parallel applies: elements on one line, or side by side with tubes that
/// do not overlap.
THINWIRE_HD inline bool depend_on_offset(const Element& p, const Element& q,
                                         GreensKernel kernel) {
  if (!elements_parallel(p, q)) return false;
  if (kernel != GreensKernel::exact) return true;
  const double beside = norm(cross(q.start_m - p.start_m, p.tangent)),
               radii = p.radius_m + q.radius_m;
  return beside <= coaxial_offset * radii || !tubes_overlap(beside, radii);
}

/// Integrates pairs for which depend_on_offset is true.
template <class Real>
THINWIRE_HD inline BasicElementMatrix<Real> near_parallel(const BasicElement<Real>& p,
                                                          const BasicElement<Real>& q,
                                                          double k, GreensKernel kernel) {
  const ParallelPlace<Real> place(p, q);
  const Real radii = p.radius_m + q.radius_m;
  BasicElementMatrix<Real> m;
  if (kernel == GreensKernel::exact &&
      !tubes_overlap(value_of(place.distance), value_of(radii))) {
    const ParallelTubeKernel<Real, double> green(p.radius_m, q.radius_m, place.distance,
                                                 k);
    m = parallel_matrix(green, p.length_m, q.length_m, place.offset, k);
  } else {
    const auto green = off_axis_kernel(p.radius_m, q.radius_m, place.distance, k, kernel);
    m = parallel_matrix(green, p.length_m, q.length_m, place.offset, k);
  }
  return place.opposed ? second_reversed(m) : m;
}

}  // namespace thinwire
