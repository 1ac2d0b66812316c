#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mom/excitation/incident_field.h"

namespace thinwire {

/// A vertical axis through the middle of a structure, and the largest distance from it.
struct VerticalAxis {
  double x_m = 0, y_m = 0, rho_m = 0;
};
VerticalAxis vertical_axis(std::span<const Element> elements);

/// Returns how many samples of the waves of a ring theta = const interpolate these; 0:
/// more than max_samples, or almost as many as there are waves. k_rho: wave number times
/// the largest distance from a vertical axis.
std::size_t ring_samples(double k_rho, std::int64_t phi_count, std::size_t max_samples);

/// Trigonometric interpolation of incident waves on rings theta = const.
///
/// With the phase referred to a vertical axis through the structure, the right-hand sides
/// of the waves of a ring are band-limited functions of phi: the m-th harmonic is no
/// larger than J_m(k rho sin theta), rho being the largest distance from the axis. The
/// interpolant of a ring's waves at equidistant angles, somewhat more than 2 k rho of
/// them, is therefore exact to rounding. So are those of all that is linear in the
/// currents.
class WaveRings {
 public:
  /// max_samples: limit on the number of samples of a ring. There is no interpolation
  /// where ring_samples() returns 0.
  WaveRings(const IncidentField& field, const IncidentWaves& waves,
            const Discretization& discretization, double k_rad_per_m,
            std::size_t max_samples);

  /// Returns the number of samples of a ring; 0: no interpolation.
  std::size_t sample_count() const { return sample_count_; }

  /// Returns wave i of the ring's samples, with a phase that belongs to the axis.
  IncidentField::Components sample(std::size_t ring, std::size_t i) const;

  /// Returns the weights of the samples in waves `first`... of any ring,
  /// [count][samples]. The sums of samples have the phase of the axis, too.
  std::span<const double> weights(std::size_t first, std::size_t count) const {
    return std::span(weights_).subspan(first * sample_count_, count * sample_count_);
  }
  /// Returns the factor that refers the phase of wave p of a ring to the origin.
  Complex phase_factor(std::size_t ring, std::size_t p) const;

  /// Errors of the samples of a ring, or upper bounds of them, relative to the norms of
  /// their right-hand sides.
  struct SampleErrors {
    std::span<const double> missed;     ///< by RhsSums
    std::span<const double> residuals;  ///< of the currents
  };
  /// Returns upper bounds of the relative residuals of a ring's waves. Infinite where
  /// interpolation represents the right-hand side of a wave much worse than rounding:
  /// where it is small beside those of other waves of the ring. v: right-hand sides of
  /// the samples, [samples][unknowns].
  std::vector<double> residual_bounds(std::size_t ring, std::span<const Complex> v,
                                      const SampleErrors& errors) const;

 private:
  Direction direction(std::size_t ring, double phi_deg) const;
  Complex phase_at_axis(Direction from) const;

  IncidentWaves waves_;
  std::size_t unknowns_;
  double k_rad_per_m_;
  VerticalAxis axis_;
  std::size_t sample_count_ = 0;
  std::vector<double> weights_;  ///< [phi_count][samples]
  /// Limit on the error of an interpolated right-hand side, relative to its norm.
  double tolerance_;
  /// Upper bound of the norm of the right-hand sides, V.
  double largest_v_ = 0;
};

}  // namespace thinwire
