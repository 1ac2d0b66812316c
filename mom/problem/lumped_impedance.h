#pragma once

#include <limits>

#include "mom/problem/problem.h"

namespace thinwire {

/// Returns the impedance of a lumped load, ohm: of series R, L and C (a capacitance of
/// zero means that there is none), parallel ones (zero means that the branch is absent;
/// infinite at the resonance of a circuit without R), an impedance, or a coil of quality
/// Q with a capacitor beside it, as 4nec2 makes an LD 1 of its LD 6 (Q = 100, 73.639 uH
/// at 1.91 MHz: 88382.1 ohm beside 73.6464 uH).
inline Complex lumped_impedance(Load::Kind kind, const double value[3],
                                double omega_rad_per_s) {
  const double omega = omega_rad_per_s;
  if (kind == Load::Kind::impedance) return {value[0], value[1]};
  if (kind == Load::Kind::series_rlc) {
    Complex z(value[0], omega * value[1]);
    if (value[2] != 0) z += 1.0 / Complex(0, omega * value[2]);
    return z;
  }
  if (kind == Load::Kind::trap) {
    const double reactance = omega * value[1];
    return 1.0 / (Complex(0, omega * value[2]) +
                  1.0 / Complex(reactance / value[0], reactance));
  }
  if (value[0] == 0 && value[1] == 0 && value[2] == 0) return 0;
  Complex y = 0;
  if (value[0] != 0) y += 1.0 / value[0];
  if (value[1] != 0) y += 1.0 / Complex(0, omega * value[1]);
  if (value[2] != 0) y += Complex(0, omega * value[2]);
  return y == 0.0 ? std::numeric_limits<double>::infinity() : 1.0 / y;
}

}  // namespace thinwire
