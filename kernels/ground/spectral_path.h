#pragma once

#include <vector>

#include "kernels/base/complex.h"
#include "kernels/ground/half_space.h"

namespace thinwire {

/// A point of the path of integration in the plane of kr, with its weight, dkr included.
struct PathPoint {
  Complex kr;
  Complex weight;
  Complex u1, u2;  ///< sqrt(kr^2 - 1), sqrt(kr^2 - eps), continued along the path
};

/// The path of Sommerfeld's integrals. From 0 it passes above kr = 1, where branch point
/// and pole lie, to the right of all singularities; what goes on there straight ahead has
/// the factor J(kr rho). Where that would decay slowly (rho large against zeta), J is the
/// mean of two Hankel functions, which decay on rays up and down.
///
///          ____________ 1: straight on             ___ / H1: the rays, 40 degrees
///     0 __/   1    k2                         0 __/  1\  k2 |
///                                                      \    | both sides of the cut of
///                                                      u2
///                                                    H2 \   | (the second kind)
///
/// For places in the air, so far out that a steeper ray down has died away before it
/// comes below k2, the rays start beside 1 already, and what passes k2 goes around the
/// cut of u2, which is laid straight down from there: the wave in the ground, a smooth
/// integral however often it turns on its way.
struct SpectralPath {
  std::vector<PathPoint> bessel;    ///< f is taken with J
  std::vector<PathPoint> hankel_1;  ///< with H of the first kind / 2, on the ray upward
  std::vector<PathPoint> hankel_2;  ///< with H of the second kind / 2, downward
};

/// How fine: Gauss points a panel, and after how many nats the rest is left out.
struct PathRule {
  int points;
  double nats;
};
inline constexpr PathRule fine_path = {16, 40};    ///< 1e-13
inline constexpr PathRule coarse_path = {11, 25};  ///< 1e-9

/// Points for all places of a range: what is integrated dies as e^{-u1 z - u2 depth}.
SpectralPath spectral_path(Complex eps, const AcrossRange& range, PathRule rule);

}  // namespace thinwire
