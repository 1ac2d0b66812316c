#pragma once

#include <cmath>

#include "kernels/element/coaxial_kernel.h"
#include "kernels/element/element.h"

namespace thinwire {

/// Green's function of a pair of elements that depends on the axis distance R only.
/// `scale_m` is the distance from R = 0 of its nearest singularity (at R = +-j scale);
/// zero where that is a logarithm at R = 0 itself. `width_m` is the length over which the
/// logarithm holds.
template <class Real, class Wavenumber>
struct AxisDistanceKernel {
  Real a_m{}, b_m{};
  Wavenumber k_rad_per_m{};
  bool exact = true;
  Real scale_m{};
  Real width_m{};

  THINWIRE_HD BasicComplex<Real> operator()(Real r2) const {
    if (exact) return coaxial_green(r2, a_m, b_m, k_rad_per_m);
    return filament_green(r2 + 0.5 * (a_m * a_m + b_m * b_m), k_rad_per_m);
  }
};

template <class Real, class Wavenumber>
THINWIRE_HD inline AxisDistanceKernel<Real, Wavenumber> axis_distance_kernel(
    Real a, Real b, Wavenumber k, GreensKernel kernel) {
  AxisDistanceKernel<Real, Wavenumber> g{a, b, k, kernel == GreensKernel::exact, 0, 0};
  if (g.exact) {
    g.scale_m = fabs(a - b);
    if (g.scale_m <= 1e-9 * (a + b)) g.scale_m = 0;
  } else {
    g.scale_m = sqrt(0.5 * (a * a + b * b));
  }
  g.width_m = fmin(a, b);
  return g;
}

/// Accuracy of graded_integral: an error of e^{-2 nats}, and the number of points next to
/// a logarithm.
struct Accuracy {
  double nats;
  int logarithm_points;
};

/// Threads that integrate a pair together: each does a part of the work, and add_up()
/// gives each the sums of all. (near_pair_table.cu has more of them.)
struct Alone {
  THINWIRE_HD int part() const { return 0; }
  THINWIRE_HD int parts() const { return 1; }
  template <class Sums>
  THINWIRE_HD void add_up(Sums&) const {}
};

/// Members of a team that do one part of the work together.
struct Share {
  int part_, parts_;
  THINWIRE_HD int part() const { return part_; }
  THINWIRE_HD int parts() const { return parts_; }
};

/// Integrates f(y, weight) over y0 <= y <= y1 (0 <= y0) where the integrand has the
/// singularities of an AxisDistanceKernel: y = scale sinh(v) turns them into a strip of
/// half-width pi/2 however thin the wire is, so that a panel of length 2.5 in v takes 12
/// points to 1e-10. Where scale = 0, y = width x^5 takes up the logarithm next to zero
/// and y = e^v does the rest. `k` raises the order where the integrand oscillates. Each
/// of a team has points of its own.
template <class Real, class F, class Team = Alone>
THINWIRE_HD inline void graded_integral(Real y0, Real y1, Real scale, Real width,
                                        double k, Accuracy accuracy, F&& f,
                                        const Team& team = {}) {
  if (!(y1 > y0)) return;
  if (scale == 0 && y0 < width) {
    // An end at the width is y1's, with its derivatives.
    const bool within = y1 <= width;
    const Real x0 = y0 > 0 ? Real(pow(y0 / width, 0.2)) : Real(0);
    const Real x1 = within ? Real(pow(y1 / width, 0.2)) : Real(1);
    const GaussRule rule = gauss_rule(accuracy.logarithm_points);
    const Real half = 0.5 * (x1 - x0);
    for (int i = team.part(); i < rule.points; i += team.parts()) {
      const Real x = x0 + half * (1 + rule.node[i]);
      const Real x4 = (x * x) * (x * x);
      f(width * x4 * x, 5 * width * x4 * half * rule.weight[i]);
    }
    if (within) return;
    y0 = width;
  }
  const bool log_map = scale == 0;
  const Real v0 = log_map ? Real(0) : Real(asinh(y0 / scale));
  const Real v1 = log_map ? Real(log(y1 / y0)) : Real(asinh(y1 / scale));
  const Real length = v1 - v0;
  const int panels = 1 + static_cast<int>(value_of(length) / 2.5);
  const Real step = length / panels;
  // n points leave e^{-2n asinh(pi / step)} of a singularity on the edge of the strip,
  // and (0.7 k l / n)^(2n) of an oscillation e^{2jky} over a length l.
  const double phase = k * value_of(y1 - y0);
  const int singular =
      2 + static_cast<int>(accuracy.nats / std::asinh(pi / value_of(step)) + 0.8 * phase);
  const int oscillating = 4 + static_cast<int>(0.5 + 1.8 * phase);
  const int order = singular > oscillating ? singular : oscillating;
  const GaussRule rule = gauss_rule(order);
  for (int n = team.part(); n < panels * rule.points; n += team.parts()) {
    const int panel = n / rule.points, i = n % rule.points;
    const Real v = v0 + step * (panel + 0.5 * (1 + rule.node[i]));
    const Real e = exp(v);
    const Real y = log_map ? y0 * e : 0.5 * scale * (e - 1 / e);
    const Real derivative = log_map ? y : 0.5 * scale * (e + 1 / e);
    f(y, derivative * 0.5 * step * rule.weight[i]);
  }
}

/// The matrix with the shape functions of the second element exchanged and its direction
/// of current turned round.
template <class Real>
THINWIRE_HD inline BasicElementMatrix<Real> second_reversed(
    const BasicElementMatrix<Real>& m) {
  return {{{-1.0 * m.z[0][1], -1.0 * m.z[0][0]}, {-1.0 * m.z[1][1], -1.0 * m.z[1][0]}}};
}

/// The matrix with the first element turned round.
template <class Real>
THINWIRE_HD inline BasicElementMatrix<Real> first_reversed(
    const BasicElementMatrix<Real>& m) {
  return {{{-1.0 * m.z[1][0], -1.0 * m.z[1][1]}, {-1.0 * m.z[0][0], -1.0 * m.z[0][1]}}};
}

}  // namespace thinwire
