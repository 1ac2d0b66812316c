#pragma once

#include <span>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/element/element.h"
#include "kernels/element/medium.h"

namespace thinwire {

/// Current moments I dl at the quadrature points of a mesh: a far field is a sum over
/// them. An array for each number, so that sums over points vectorise.
struct CurrentMoments {
  std::vector<double> x, y, z;     ///< positions, m
  std::vector<double> tx, ty, tz;  ///< direction of the current, unit vector
  std::vector<double> re, im;      ///< moment along it, A m
  std::vector<double> ka2;  ///< (k a)^2, a the radius of the wire; 0 for a filament
  std::size_t size() const { return x.size(); }
};

/// Moments of the piecewise-sinusoidal current with the given values at the two ends of
/// every element (end_current_a: [2 elements], start then end), and of its images in the
/// medium. The sum over points stands for the integral to about 1e-8. With the
/// exact kernel the current flows on the wire's circumference; with the reduced one in
/// its axis.
CurrentMoments current_moments(std::span<const Element> elements,
                               std::span<const Complex> end_current_a, double k_rad_per_m,
                               GreensKernel kernel, Medium medium);

/// A direction of the far field, radian.
struct Direction {
  double theta, phi;
};

/// The far field r E e^{+jkr}, volt, of the moments in every direction: e_theta, e_phi:
/// [directions].
void far_field(const CurrentMoments& moments, std::span<const Direction> directions,
               double k_rad_per_m, std::span<Complex> e_theta_v,
               std::span<Complex> e_phi_v);

/// The same on the current GPU: the same sums, to rounding; the same bits every time.
/// Throws Error{device}, Error{memory}.
void device_far_field(const CurrentMoments& moments,
                      std::span<const Direction> directions, double k_rad_per_m,
                      std::span<Complex> e_theta_v, std::span<Complex> e_phi_v);

}  // namespace thinwire
