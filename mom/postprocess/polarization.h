#pragma once

#include <optional>
#include <string_view>

#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// Gains at and below this power ratio are printed as the floor of NEC's tables.
inline constexpr double gain_floor_db = -999.99;

/// Direction in which the electric field turns with time, looked at along the direction
/// of propagation (IEEE Std 145): right is clockwise. `none` where there is no field.
enum class Sense { none, linear, right, left };

/// The polarisation ellipse of a far field.
struct Polarization {
  double axial_ratio = 0;  ///< minor over major axis, 0..1
  double tilt_deg = 0;     ///< of the major axis from theta-hat towards phi-hat, -90..90
  Sense sense = Sense::none;
  double major = 0;  ///< half axes, in the unit of the field
  double minor = 0;
};

/// The ellipse that E_theta and E_phi, peak phasors of e^{+j w t}, draw in time. An axial
/// ratio up to 1e-5 counts as linear, and a field of which neither component exceeds
/// 1e-10 as none, as in NEC-2's listings. Source: the Stokes parameters (Born and Wolf,
/// Principles of Optics, section 1.4.2).
Polarization polarization(Complex e_theta, Complex e_phi);

/// "LINEAR", "RIGHT", "LEFT" or "": what NEC's listing says.
std::string_view sense_name(Sense sense);

/// 10 log10(ratio), with gain_floor_db for everything up to 1e-20 and for what is not a
/// number.
double decibel(double power_ratio);

/// The gains of one direction, dBi.
struct Gains {
  double vertical = gain_floor_db;    ///< of E_theta
  double horizontal = gain_floor_db;  ///< of E_phi
  double major = gain_floor_db;       ///< of the major axis of the ellipse
  double minor = gain_floor_db;
  double total = gain_floor_db;
};

/// Gains of the field r E e^{jkr} (volt, peak) relative to an isotropic radiator of
/// `reference_power_w`: 4 pi |r E|^2 / (2 eta0 P). All at the floor when the power is
/// zero.
Gains gains(Complex e_theta_v, Complex e_phi_v, double reference_power_w);

/// The one of `gains` that NEC's XNDA digit N asks for: 1 major, 2 minor, 3 vertical, 4
/// horizontal, 5 total. Throws Error{deck} for another digit.
double normalised_choice(const Gains& gains, int choice);

/// The strongest direction of a pattern and what is opposite to it.
struct PatternPeak {
  double gain_dbi = gain_floor_db;  ///< total
  double theta_deg = 0, phi_deg = 0;
  /// Peak over the gain at the grid point nearest to the opposite direction, dB; absent
  /// where the grid has no point within one degree of it, or where nothing is radiated
  /// there.
  std::optional<double> front_to_back_db;
};

PatternPeak pattern_peak(const PatternResult& pattern);

}  // namespace thinwire
