#pragma once

#include <vector>

#include "kernels/fields/far_field.h"
#include "mom/discretisation.h"
#include "mom/ground.h"

namespace thinwire {

/// Waves for which right-hand sides and solutions are kept at a time.
inline constexpr std::size_t waves_at_once = 64;

/// How plane waves excite a mesh at one frequency.
///
/// By reciprocity what a basis function receives from a direction is what it sends there,
/// up to a factor. Both come from the same polynomials (far_field.h), so that a
/// receiving and a transmitting pattern are equal to rounding. Over ground the reflected
/// wave belongs to it: by images, or by the coefficients of plane waves (plane_wave.h).
/// Wires in the ground meet the wave that passes the surface (plane_waves.h), as they
/// send it.
class IncidentField {
 public:
  IncidentField(const Discretisation& where, double k_rad_per_m, GreensKernel kernel,
                Ground ground);

  /// Right-hand side, [unknowns]: the wave's field along each basis function, V.
  std::vector<Complex> excitation(const IncidentWave& wave) const;
  /// The same of a wave with these components, V/m, at the origin.
  std::vector<Complex> excitation(Direction from, Complex e_theta, Complex e_phi) const;

 private:
  const Discretisation& where_;
  double k_rad_per_m_;
  GreensKernel kernel_;
  Ground ground_;
  /// Of the shape functions of each element, u_0 and u_1, per ampere.
  CurrentMoments of_end_[2];
  std::vector<std::size_t> first_;  ///< moment of each element, [elements + 1]
  bool wires_below_;                ///< they have no moments
};

/// The power that a pattern's gains refer to so that they are the scattering cross
/// section over the square of the wavelength: lambda^2 |E|^2 / (2 eta), E being the
/// wave's.
double scattering_reference_w(const IncidentWave& wave, double frequency_hz);

}  // namespace thinwire
