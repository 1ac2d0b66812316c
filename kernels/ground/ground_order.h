#pragma once

#include <cmath>
#include <limits>

#include "kernels/base/complex.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/ground/half_space.h"

namespace thinwire {

/// The waves above and below the surface at one frequency, rad/m.
struct GroundWaves {
  double above = 0;  ///< k
  double below = 0;  ///< |k2|
  double decay = 0;  ///< -Im k2, or 0 where the wave in the ground is not left out
  GroundSide side = GroundSide::above;  ///< below, that wave is as strong as the others
  /// The wave in the ground has died out after this many nats, to 1e-7.
  static constexpr double dead_nats = 16;

  /// As elements on that side have them: below, what comes through the air goes down as
  /// e^{-j k2 depth}, however far it came.
  static GroundWaves of(double k_rad_per_m, Complex eps,
                        GroundSide side = GroundSide::above) {
    const Complex k2 = k_rad_per_m * std::sqrt(eps);
    return {k_rad_per_m, std::abs(k2), side == GroundSide::above ? -k2.imag() : 0, side};
  }
  /// The wave number by which reflected kernels vary at this distance from the image.
  THINWIRE_HD double fastest(double distance_m) const {
    return decay * distance_m > dead_nats ? above : std::fmax(above, below);
  }
};

/// Gauss points on each element that are enough from this many of the longer length on,
/// from the image's centre to the other's, up to these k L and k2 L.
struct GroundRule {
  int points;
  double separation, electrical_length, length_in_ground;
};

/// Points for an element of that length that is far from another, the longer of the two
/// having `longer_length_m`, or 0: they are near.
THINWIRE_HD inline int ground_order(double distance_m, double length_m,
                                    double longer_length_m, const GroundWaves& waves) {
  constexpr int count = 5;
  constexpr GroundRule above[count] = {{2, 12, 0.15, 1.4},
                                       {3, 2.85, 0.3, 1.2},
                                       {3, 12, 0.5, 2.7},
                                       {4, 1.75, 0.8, 3},
                                       {6, 1.75, 1.9, 7}};
  // Below, all there is goes with the wave in the ground: n points leave x^(2n) (n!)^4 /
  // ((2n + 1) (2n)!^3) of e^{-jx}.
  constexpr GroundRule below[count] = {{2, 12, 0.15, 0.25},
                                       {3, 4, 0.3, 1},
                                       {4, 2.85, 0.8, 2.2},
                                       {6, 1.75, 1.9, 3.5},
                                       {8, 1.75, 1.9, 7}};
  const double fastest = waves.fastest(distance_m);
  for (int i = 0; i < count; ++i) {
    const GroundRule& rule = waves.side == GroundSide::above ? above[i] : below[i];
    if (distance_m >= (1 - hair) * rule.separation * longer_length_m &&
        waves.above * length_m <= rule.electrical_length &&
        fastest * length_m <= rule.length_in_ground)
      return rule.points;
  }
  return 0;
}

/// Points for two elements that are far from each other's image (`distance` between the
/// centres of the one and the other's image), or 0: they are near. Calibrated on random
/// pairs, kL 0.07 to 0.8, over soil, dry ground, fresh water and the sea, image included:
/// 1e-6 of the image's largest entry. Below and across: 1e-6 of the pair's largest entry.
THINWIRE_HD inline int ground_order(double distance_m, double longer_length_m,
                                    const GroundWaves& waves) {
  return ground_order(distance_m, longer_length_m, longer_length_m, waves);
}

/// ground_order is not 0 for elements that are at least the sum of their ground_reach
/// from each other's image; infinite for those that are near to all.
inline double ground_reach(double length_m, const GroundWaves& waves) {
  constexpr double least = 1.75, electrical_length = 1.9, length_in_ground = 7;
  if (waves.above * length_m > electrical_length)
    return std::numeric_limits<double>::infinity();
  const double reach = least * length_m;
  if (std::fmax(waves.above, waves.below) * length_m <= length_in_ground) return reach;
  return waves.decay > 0 ? std::fmax(reach, GroundWaves::dead_nats / waves.decay)
                         : std::numeric_limits<double>::infinity();
}

}  // namespace thinwire
