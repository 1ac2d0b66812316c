#pragma once

#include "kernels/host_device.h"

namespace thinwire {

/// One line of the rule for far pairs: `points` Gauss points on each element are enough
/// when the centres are at least `separation` times the longer length apart and k times
/// that length is at most `electrical_length`.
struct FarRule {
  int points;
  double separation;
  double electrical_length;
};

/// From this many of the larger radius on, the mean of e^{-jkR}/R over both
/// circumferences (radii a, b) is, to 8e-8 for thin wires and 2.4e-7 at k a = 0.05,
///   f(x_p) f(x_q) e^{-jkR'}/R',   f(x) = 1 - x/4 + x^2/64,
///   R'^2 = R^2 + (a^2/2)(3 c_p^2 - 1) + (b^2/2)(3 c_q^2 - 1),
///   x_p = (k a)^2 (1 - c_p^2),   x_q = (k b)^2 (1 - c_q^2),
/// c_p and c_q being the cosines between the line of centres and the two wires. It is
/// the operator J0(a sqrt(k^2 + d^2/ds^2)) to its leading order in a/R.
inline constexpr double far_radii = 60.0;
/// k times the larger radius up to which that holds.
inline constexpr double far_electrical_radius = 0.05;

/// Number of Gauss points on each element of a pair (2, 3, 4 or 6) that gives its matrix
/// to 1e-7 of the largest entry with the filament kernel and its leading circumference
/// correction, or 0: the pair is near, use near_pair. Lengths in metres, k in rad/m.
///
/// Calibrated on random pairs (collinear both ways, end on, skew; length ratio 0.1..1)
/// against 14 x 14 points: no line of the table was more than 1e-7 off.
THINWIRE_HD inline int far_order(double centre_distance, double longer_length,
                                 double larger_radius, double k_rad_per_m) {
  if (centre_distance < far_radii * larger_radius + 0.5 * longer_length ||
      k_rad_per_m * larger_radius > far_electrical_radius) {
    return 0;
  }
  const double kl = k_rad_per_m * longer_length;
  constexpr FarRule rules[] = {
      {2, 22.0, 0.08}, {3, 5.5, 0.35}, {4, 2.7, 0.85}, {6, 1.7, 2.0}};
  for (const FarRule& rule : rules) {
    if (centre_distance >= rule.separation * longer_length &&
        kl <= rule.electrical_length) {
      return rule.points;
    }
  }
  return 0;
}

}  // namespace thinwire
