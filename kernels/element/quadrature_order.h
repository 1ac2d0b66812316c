#pragma once

#include <cmath>
#include <limits>

#include "kernels/base/host_device.h"

namespace thinwire {

/// One line of the rule for far pairs: `points` Gauss points on each element are enough
/// when the centres are at least `separation` times the longer length apart and k times
/// that length is at most `electrical_length`.
struct FarRule {
  int points;
  double separation;
  double electrical_length;
};

/// From this many of the larger radius on, and up to this k times it, tube_series
/// (tube_kernel.h) stands for the mean of e^{-jkR}/R over both circumferences, to 1e-7.
inline constexpr double series_radii = 30.0;
inline constexpr double series_electrical_radius = 0.12;

/// All limits of distance lie this much (relatively) below their round numbers: on
/// regular structures distances are round too, and rounding, which differs between
/// processors, is not to decide.
inline constexpr double hair = 1e-9;

/// From here on far_greens (far_kernel.h), cheaper, takes over, to 2e-8 (wants_series).
inline constexpr double far_radii = 120.0;
inline constexpr double far_electrical_radius = 0.02;

/// Near pairs are integrated to e^-near_pair_nats, where nothing else is asked for.
inline constexpr double near_pair_nats = 15;

/// Limit between near pairs and far ones, and how near ones are integrated.
struct PairLimit {
  double k_rad_per_m;  ///< the largest to come
  /// From so many of the larger radius on pairs are far: tube_series leaves
  /// 43 / radii^6 of their Green's function.
  double radii;
  double nats;  ///< near_bent's
  /// By which separations of the two-point rule shrink: a little less than (30 /
  /// radii)^(6/4), by which its error of fourth order may grow; and those of three
  /// points.
  double looser, looser_of_three;

  THINWIRE_HD PairLimit(double k)
      : k_rad_per_m(k),
        radii(series_radii),
        nats(near_pair_nats),
        looser(1),
        looser_of_three(1) {}
  THINWIRE_HD PairLimit(double k, double limit_radii, double near_nats = near_pair_nats)
      : k_rad_per_m(k),
        radii(limit_radii),
        nats(near_nats),
        looser(std::pow(series_radii / limit_radii, 1.45)),
        looser_of_three(std::cbrt(looser * looser)) {}

  /// The same near pairs at most, and far ones to 1e-3 of the largest entry nearby, none
  /// by a series: for matrices that precondition.
  PairLimit loosened() const {
    PairLimit limit = *this;
    limit.looser = far_radii / radii;
    limit.looser_of_three = std::cbrt(limit.looser * limit.looser);
    return limit;
  }
};

/// Whether a far pair wants tube_series rather than far_greens, whose error grows with
/// the fourth power of the radius over distance and over wavelength. It may be as many
/// times larger as that of tube_series at the limit, 43 / radii^6.
THINWIRE_HD inline bool wants_series(double centre_distance, double longer_length,
                                     double larger_radius, PairLimit limit) {
  return centre_distance < (1 - hair) * (far_radii / limit.looser * larger_radius +
                                         0.5 * longer_length) ||
         limit.k_rad_per_m * larger_radius > far_electrical_radius * limit.looser;
}

/// Number of Gauss points on each element of a pair (2, 3, 4 or 6) that gives its matrix
/// to 1e-7 (30 / limit.radii)^6 of the largest entry with a far kernel (limits of 12 to
/// 30 radii), or 0: the pair is near, use near_pair. Lengths in metres. Pass radius 0 for
/// the reduced kernel.
///
/// Calibrated on random pairs (collinear both ways, end on, skew; length ratio 0.1..1)
/// against 14 x 14 points: no line of the table was more off, nor at 12 and 26 radii.
THINWIRE_HD inline int far_order(double centre_distance, double longer_length,
                                 double larger_radius, PairLimit limit) {
  if (centre_distance <
          (1 - hair) * (limit.radii * larger_radius + 0.5 * longer_length) ||
      limit.k_rad_per_m * larger_radius > series_electrical_radius) {
    return 0;
  }
  const double kl = limit.k_rad_per_m * longer_length;
  constexpr FarRule rules[] = {
      {2, 23.5, 0.075}, {3, 5.8, 0.33}, {4, 2.85, 0.8}, {6, 1.75, 1.9}};
  // n points leave the power 2 n of length over distance and of k times the length.
  const double further[] = {limit.looser, limit.looser_of_three, std::sqrt(limit.looser),
                            1};
  for (int i = 0; i < 4; ++i) {
    const FarRule& rule = rules[i];
    if (centre_distance * further[i] >= (1 - hair) * rule.separation * longer_length &&
        kl <= further[i] * rule.electrical_length) {
      return rule.points;
    }
  }
  return 0;
}

/// far_order is not 0 for pairs of elements whose centres are at least the sum of their
/// near_reach apart. Infinite for those that are near to all.
inline double near_reach(double length, double radius, PairLimit limit) {
  const double k = limit.k_rad_per_m;
  if (k * radius > series_electrical_radius || k * length > 1.9)
    return std::numeric_limits<double>::infinity();
  return std::fmax(limit.radii * radius + 0.5 * length, 1.75 * length);
}

}  // namespace thinwire
