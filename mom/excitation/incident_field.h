#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/fields/far_field.h"
#include "mom/discretization/discretization.h"
#include "mom/media/plane_waves.h"
#include "mom/problem/ground.h"

namespace thinwire {

/// Waves of so many for which right-hand sides and solutions are kept at a time: enough
/// for products of matrices, and 16 MiB an array of few unknowns.
constexpr std::size_t waves_at_once(std::size_t waves, std::size_t unknowns) {
  constexpr std::size_t entries = std::size_t{1} << 20;
  return std::min(waves, std::clamp<std::size_t>(entries / (unknowns + 1), 64, 512));
}

/// From so many on, waves are solved for by the space that they span (WaveSolver).
inline constexpr std::size_t min_waves_for_span = 64;

/// Vectors of a basis of that space which are kept at most: 256 MiB of them.
constexpr std::size_t max_rank_of_waves(std::size_t waves, std::size_t unknowns) {
  constexpr std::size_t entries = std::size_t{1} << 24;
  return std::min({waves, unknowns,
                   std::max(entries / (unknowns + 1), waves_at_once(waves, unknowns))});
}

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
  /// A wave's direction and components, V/m, at the origin.
  struct Components {
    Direction from;
    Complex e_theta, e_phi;
  };
  static Components components_of(const IncidentWave& wave);

  IncidentField(const Discretization& discretization, double k_rad_per_m,
                GreensKernel kernel, Ground ground);

  /// Right-hand side, [unknowns]: the wave's field along each basis function, V.
  std::vector<Complex> excitation(const IncidentWave& wave) const;
  /// Returns the right-hand side of a wave with these components, V/m, at the origin.
  std::vector<Complex> excitation(Direction from, Complex e_theta, Complex e_phi) const;
  /// Computes the right-hand sides of several waves by all threads, v:
  /// [waves][unknowns].
  void excitations(std::span<const Components> waves, std::span<Complex> v) const;

  /// Relative error by which rounding may spoil excitation(): it grows with the distance
  /// from the origin in wavelengths.
  double rounding() const { return rounding_; }

 private:
  /// Values of a wave along each moment, reused from wave to wave.
  struct Scratch {
    std::vector<double> re[2], im[2];
  };
  void excite(const Components& wave, Scratch& along, std::span<Complex> v) const;

  const Discretization& discretization_;
  double k_rad_per_m_;
  Ground ground_;
  /// Moments of the shape functions u_0 and u_1 of each element, per ampere.
  CurrentMoments of_end_[2];
  std::vector<std::size_t> first_;  ///< moment of each element, [elements + 1]
  double rounding_;
  bool wires_below_;  ///< they have no moments
  /// In their place, [elements]; empty ones of the elements above.
  std::vector<WaveMoments> below_of_end_[2];
};

/// The power that a pattern's gains refer to so that they are the scattering cross
/// section over the square of the wavelength: lambda^2 |E|^2 / (2 eta), E being the
/// wave's.
double scattering_reference_w(const IncidentWave& wave, double frequency_hz);

}  // namespace thinwire
