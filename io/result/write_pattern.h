#pragma once

#include <span>
#include <string>
#include <vector>

namespace thinwire {

/// Gains on a grid of directions, for programs that plan radio links.
struct GainPattern {
  std::string name;  ///< of the antenna, one line
  double frequency_hz = 0;
  std::span<const double> theta_deg, phi_deg;  ///< ascending
  std::span<const double> gain_dbi;            ///< [theta, phi]
  double efficiency = 1;                       ///< NaN where it is not known
};

/// True where theta reaches from the zenith to the horizon or below, and phi all around
/// in steps of 30 degrees or less: what the files need.
bool covers_upper_half(const GainPattern& pattern);

/// A direction, degrees.
struct Direction {
  double theta_deg = 0, phi_deg = 0;
};

/// Returns the direction of the maximum above the horizon. All files take its azimuth for
/// their azimuth 0, and count azimuths clockwise, seen from above.
Direction main_lobe(const GainPattern& pattern);

// Values between the grid's directions are interpolated linearly in dB; below the horizon
// of a pattern over ground, and where nothing is radiated, gains are -99.999 dBi.

/// Planet's format (.msi): gain, and attenuations from the maximum in dB at 0 .. 359
/// degrees, at most 99.9: around the vertical axis at the elevation of the maximum, and
/// vertically through it, from the horizon down.
std::string msi_text(const GainPattern& pattern);

/// VOACAP's antenna type 13: gains in dBi at 360 azimuths, 91 elevations each.
std::string voacap_13_text(const GainPattern& pattern);

/// VOACAP's antenna type 14: efficiency in dB and gains at 91 elevations in the azimuth
/// of the maximum, at 1, 2 .. 30 MHz. Throws Error{usage} for other frequencies.
std::string voacap_14_text(std::span<const GainPattern> patterns);

}  // namespace thinwire
