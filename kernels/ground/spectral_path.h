#pragma once

#include <span>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/ground/complex_bessel.h"
#include "kernels/ground/half_space.h"

namespace thinwire {

/// A point of the path of integration in the plane of kr, with its weight, dkr included.
/// C: Complex, or HdComplex.
template <class C>
struct PathPointOf {
  C kr;
  C weight;
  C u1, u2;  ///< sqrt(kr^2 - 1), sqrt(kr^2 - eps), continued along the path
};
using PathPoint = PathPointOf<Complex>;

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
SpectralPath spectral_path(Complex eps, const TransmissionRange& range, PathRule rule);

/// A stretch of the path, t from `from` on, with a Gauss rule of its own.
struct PathPanel {
  enum class Way {
    detour,        ///< kr = t + j height t / (t + 0.3), with J
    ray_up,        ///< start + t direction, with H1 / 2
    ray_down,      ///< the same with H2 / 2
    left_of_cut,   ///< up the left side of the cut of u2, k2 - j t^2, where u2 has the
                   ///< other sign; with H2 / 2
    right_of_cut,  ///< down the right side
  };
  Way way;
  double from, length;
  HdComplex start, direction;  ///< of rays
};

THINWIRE_HD inline CylinderFactor cylinder_of(PathPanel::Way way) {
  return way == PathPanel::Way::detour   ? CylinderFactor::bessel
         : way == PathPanel::Way::ray_up ? CylinderFactor::half_hankel_1
                                         : CylinderFactor::half_hankel_2;
}

/// Where a path runs and how its square roots are continued.
struct PathPlane {
  HdComplex eps, k2;
  double height;      ///< of the detour
  bool cut_downward;  ///< the cut of u2 goes straight down from k2: in the air
};

struct PathPanels {
  PathPlane plane;
  std::vector<PathPanel> panels;
};
/// The panels of spectral_path, before their points are taken.
PathPanels spectral_panels(Complex eps, const TransmissionRange& range, PathRule rule);
/// Computes the panels of many ranges, by all threads.
std::vector<PathPanels> spectral_panels(Complex eps,
                                        std::span<const TransmissionRange> ranges,
                                        PathRule rule);

/// The point of a panel at `node` (-1 .. 1) of its rule, with that weight.
THINWIRE_HD inline PathPointOf<HdComplex> point_of(const PathPlane& plane,
                                                   const PathPanel& panel, double node,
                                                   double weight) {
  const HdComplex one{1, 0};
  const double t = panel.from + 0.5 * panel.length * (1 + node),
               dt = 0.5 * panel.length * weight;
  if (panel.way == PathPanel::Way::left_of_cut ||
      panel.way == PathPanel::Way::right_of_cut) {
    // u2 is smooth in t.
    const HdComplex kr = plane.k2 - HdComplex{0, t * t}, dkr{0, -2 * t * dt};
    const HdComplex u1 = square_root(kr * kr - one),
                    u2 = square_root(kr * kr - plane.eps);
    if (panel.way == PathPanel::Way::left_of_cut) return {kr, -dkr, u1, -u2};
    return {kr, dkr, u1, u2};
  }
  HdComplex kr, dkr;
  if (panel.way == PathPanel::Way::detour) {
    const double below = t + 0.3;
    kr = {t, plane.height * t / below};
    dkr = dt * HdComplex{1, plane.height * 0.3 / (below * below)};
  } else {
    kr = panel.start + t * panel.direction;
    dkr = dt * panel.direction;
  }
  // The cut goes straight down from k2 but where e^{-u2 depth} must not grow; there rays
  // cross it only where nothing is left of the wave in the ground.
  const HdComplex rest = kr * kr - plane.eps;
  const bool turned = plane.cut_downward && kr.re < plane.k2.re;
  const HdComplex u2 = turned ? HdComplex{0, 1} * square_root(-rest) : square_root(rest);
  return {kr, dkr, square_root(kr * kr - one), u2};
}

}  // namespace thinwire
