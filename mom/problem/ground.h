#pragma once

#include <cmath>
#include <complex>

#include "kernels/base/choice.h"
#include "kernels/base/constants.h"

namespace thinwire {

/// Radial wires on the ground around the origin.
struct RadialScreen {
  int radials = 0;  ///< 0: none
  double radius_m = 0, wire_radius_m = 0;
  bool operator==(const RadialScreen&) const = default;
};

/// The medium that fills the half space below z = 0.
struct Ground {
  enum class Kind {
    none,          ///< nothing: free space
    perfect,       ///< a perfect conductor (GN 1)
    sommerfeld,    ///< a lossy dielectric, by Sommerfeld's integrals (GN 2)
    coefficients,  ///< the same, by the reflection coefficients of plane waves (GN 0)
    mininec        ///< a perfect conductor to currents, a dielectric to waves (GN 3)
  };
  Kind kind = Kind::none;
  double relative_permittivity = 1;
  double conductivity_s_per_m = 0;
  RadialScreen screen = {};  ///< with `coefficients` only

  static const Ground none, perfect;
  static Ground sommerfeld(double relative_permittivity, double conductivity_s_per_m) {
    return {Kind::sommerfeld, relative_permittivity, conductivity_s_per_m};
  }
  static Ground coefficients(double relative_permittivity, double conductivity_s_per_m,
                             RadialScreen screen = {}) {
    return {Kind::coefficients, relative_permittivity, conductivity_s_per_m, screen};
  }

  static Ground mininec(double relative_permittivity, double conductivity_s_per_m) {
    return {Kind::mininec, relative_permittivity, conductivity_s_per_m};
  }

  /// Whether far waves meet a dielectric.
  bool is_dielectric() const { return is_real() || kind == Kind::mininec; }
  /// Whether currents do, too, however what it reflects is computed.
  bool is_real() const { return kind == Kind::sommerfeld || kind == Kind::coefficients; }
  /// eps_r - j sigma / (w eps0) of a real ground; where sigma is negative, eps_r + j
  /// sigma at every frequency, as on NEC-2's card.
  std::complex<double> permittivity(double k_rad_per_m) const {
    if (conductivity_s_per_m < 0) return {relative_permittivity, conductivity_s_per_m};
    return {relative_permittivity, -conductivity_s_per_m * eta0_ohm / k_rad_per_m};
  }
  /// Whether wires may lie in it.
  bool takes_wires() const { return kind == Kind::sommerfeld; }
  /// 2 pi / |k2|, the length over which fields in a real ground vary.
  double wavelength_m(double k_rad_per_m) const {
    return 2 * pi / (k_rad_per_m * std::sqrt(std::abs(permittivity(k_rad_per_m))));
  }
  bool operator==(const Ground&) const = default;
};
constexpr auto words_of(Ground::Kind) {
  using enum Ground::Kind;
  return std::to_array<Word<Ground::Kind>>({{none, "none"},
                                            {perfect, "perfect"},
                                            {sommerfeld, "sommerfeld"},
                                            {coefficients, "coefficients"},
                                            {mininec, "mininec"}});
}

inline constexpr Ground Ground::none = {};
inline constexpr Ground Ground::perfect = {Kind::perfect, 1, 0};

/// NEC's GD: ground beyond an edge, for far fields only (RP 2, 3, 5, 6).
struct SecondMedium {
  Ground ground;
  double edge_m = 0;  ///< at x = edge, or at this distance from the origin
  double drop_m = 0;  ///< how much lower than z = 0 its surface is
};

}  // namespace thinwire
