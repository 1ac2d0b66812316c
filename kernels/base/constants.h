#pragma once

#include <limits>

namespace thinwire {

/// Stands in results for what was not computed.
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double pi = 3.14159265358979323846;
/// Speed of light, m/s (exact).
inline constexpr double speed_of_light_m_per_s = 299792458.0;
/// Wave number of free space.
constexpr double wavenumber_rad_per_m(double frequency_hz) {
  return 2 * pi * frequency_hz / speed_of_light_m_per_s;
}
/// Impedance of free space, ohm (CODATA 2018).
inline constexpr double eta0_ohm = 376.730313668;
/// Magnetic constant, H/m, and electric constant, F/m, that go with the two above.
inline constexpr double mu0_h_per_m = eta0_ohm / speed_of_light_m_per_s;
inline constexpr double eps0_f_per_m = 1.0 / (eta0_ohm * speed_of_light_m_per_s);

}  // namespace thinwire
