#pragma once

#include <cmath>

#include "kernels/element/pair_kernel.h"
#include "kernels/element/tube_kernel.h"

namespace thinwire {

/// Integrals over one piece of the axial offset t, weighted with cos k(t - origin) and
/// sin k(t - origin).
struct OffsetMoments {
  HdComplex cosine, sine;
};

/// G is a function of t^2; the piece t0 <= t <= t1 is split at t = 0, towards which the
/// quadrature is graded. A part shorter than `sliver` beside zero is rounding: left out.
template <class Green>
THINWIRE_HD inline OffsetMoments offset_moments(const Green& green, double t0, double t1,
                                                double origin, double k, double sliver) {
  OffsetMoments sum;
  for (int side = 0; side < 2; ++side) {
    const double sign = side == 0 ? 1 : -1;
    const double y0 = std::fmax(0.0, side == 0 ? t0 : -t1);
    const double y1 = side == 0 ? t1 : -t0;
    if (y1 <= sliver) continue;
    constexpr Accuracy accuracy{11.5, 14};  // 1e-10
    graded_integral(y0, y1, green.scale_m, green.width_m, k, accuracy,
                    [&](double y, double w) {
                      const HdComplex g = w * green(y * y);
                      const double x = k * (sign * y - origin);
                      sum.cosine += std::cos(x) * g;
                      sum.sine += std::sin(x) * g;
                    });
  }
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
template <class Green>
THINWIRE_HD inline ElementMatrix parallel_matrix(const Green& green, double lp, double lq,
                                                 double offset, double k) {
  const double shorter = std::fmin(lp, lq);
  const double rise_end = lp < lq ? offset : offset + (lq - lp);
  const double fall_start = lp < lq ? offset + (lq - lp) : offset;
  const double first = offset - lp;
  const double last = offset + lq;
  const double sliver = 1e-13 * (lp + lq);
  const HdComplex rise = offset_moments(green, first, rise_end, first, k, sliver).sine;
  const HdComplex fall =
      -1.0 * offset_moments(green, fall_start, last, last, k, sliver).sine;
  OffsetMoments flat;
  if (fall_start - rise_end > sliver) {
    flat =
        offset_moments(green, rise_end, fall_start, offset + 0.5 * (lq - lp), k, sliver);
    flat.cosine = std::sin(k * shorter) * flat.cosine;
    flat.sine = (lp < lq ? -1 : 1) * std::sin(k * shorter) * flat.sine;
  }
  const double scale = eta0_ohm / (4 * pi * std::sin(k * lp) * std::sin(k * lq));
  ElementMatrix m;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const double phase = k * ((i - 0.5) * lp + (j - 0.5) * lq);
      HdComplex w = std::cos(k * (i * lp - (1 - j) * lq)) * rise;
      w += std::cos(k * (j * lq - (1 - i) * lp)) * fall;
      w += std::cos(phase) * flat.cosine;
      w += std::sin(phase) * flat.sine;
      const double sign = i == j ? -scale : scale;
      m.z[i][j] = {-sign * w.im, sign * w.re};
    }
  }
  return m;
}

/// Green's function of parallel tubes as a function of t^2: `AxisDistanceKernel` with the
/// distance between the axes added, or the mean over both circumferences.
template <class Wavenumber>
struct OffAxisKernel {
  AxisDistanceKernel<Wavenumber> kernel;
  double distance2 = 0;
  double scale_m = 0, width_m = 0;

  THINWIRE_HD HdComplex operator()(double t2) const { return kernel(t2 + distance2); }
};

template <class Wavenumber>
THINWIRE_HD inline OffAxisKernel<Wavenumber> off_axis_kernel(double a, double b,
                                                             double distance,
                                                             Wavenumber k,
                                                             GreensKernel kernel) {
  OffAxisKernel<Wavenumber> green;
  green.kernel = axis_distance_kernel(a, b, k, kernel);
  // Distances far below the radius are rounding of a coaxial pair.
  const double off_axis = distance > 1e-7 * (a + b) ? distance : 0;
  green.distance2 = off_axis * off_axis;
  green.scale_m =
      std::sqrt(green.distance2 + green.kernel.scale_m * green.kernel.scale_m);
  green.width_m = green.kernel.width_m;
  return green;
}

/// near_pair for parallel elements, coaxial or not.
THINWIRE_HD inline ElementMatrix near_parallel(const Element& p, const Element& q,
                                               double k, GreensKernel kernel) {
  const bool opposed = dot(p.tangent, q.tangent) < 0;
  const Vec3 start = opposed ? q.start_m + q.length_m * q.tangent : q.start_m;
  const Vec3 step = start - p.start_m;
  const double offset = dot(step, p.tangent);
  const double distance = norm(cross(step, p.tangent));
  const double radii = p.radius_m + q.radius_m;
  ElementMatrix m;
  if (kernel == GreensKernel::exact && !tubes_overlap(distance, radii)) {
    const ParallelTubeKernel<double> green(p.radius_m, q.radius_m, distance, k);
    m = parallel_matrix(green, p.length_m, q.length_m, offset, k);
  } else {
    const auto green = off_axis_kernel(p.radius_m, q.radius_m, distance, k, kernel);
    m = parallel_matrix(green, p.length_m, q.length_m, offset, k);
  }
  return opposed ? second_reversed(m) : m;
}

}  // namespace thinwire
