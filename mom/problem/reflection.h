#pragma once

#include <complex>
#include <limits>

namespace thinwire {

/// The reflection coefficient (Z - Z0) / (Z + Z0) of an impedance on a line of the real
/// impedance Z0.
inline std::complex<double> reflection(std::complex<double> impedance_ohm,
                                       double reference_ohm) {
  return (impedance_ohm - reference_ohm) / (impedance_ohm + reference_ohm);
}

/// Voltage standing-wave ratio; infinite where all is reflected (or more: |s| >= 1).
inline double vswr(std::complex<double> reflection) {
  const double magnitude = std::abs(reflection);
  // Closer to 1 than this, rounding decides.
  if (!(magnitude < 1 - 1e-12)) return std::numeric_limits<double>::infinity();
  return (1 + magnitude) / (1 - magnitude);
}

}  // namespace thinwire
