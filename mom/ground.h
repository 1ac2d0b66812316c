#pragma once

#include <complex>

#include "kernels/base/constants.h"

namespace thinwire {

/// What fills the half space below z = 0.
struct Ground {
  enum class Kind {
    none,       ///< nothing: free space
    perfect,    ///< a perfect conductor (GN 1)
    sommerfeld  ///< a lossy dielectric, by Sommerfeld's integrals (GN 2)
  };
  Kind kind = Kind::none;
  double relative_permittivity = 1;
  double conductivity_s_per_m = 0;

  static const Ground none, perfect;
  static Ground sommerfeld(double relative_permittivity, double conductivity_s_per_m) {
    return {Kind::sommerfeld, relative_permittivity, conductivity_s_per_m};
  }

  bool is_real() const { return kind == Kind::sommerfeld; }
  /// eps_r - j sigma / (w eps0) of a real ground; where sigma is negative, eps_r + j
  /// sigma at every frequency, as on NEC-2's card.
  std::complex<double> permittivity(double k_rad_per_m) const {
    if (conductivity_s_per_m < 0) return {relative_permittivity, conductivity_s_per_m};
    return {relative_permittivity, -conductivity_s_per_m * eta0_ohm / k_rad_per_m};
  }
  bool operator==(const Ground&) const = default;
};

inline constexpr Ground Ground::none = {};
inline constexpr Ground Ground::perfect = {Kind::perfect, 1, 0};

}  // namespace thinwire
