#pragma once

#include <algorithm>

namespace thinwire {

/// Goes from 0 at x = none to 1 at x = full with a continuous derivative; none may be
/// greater than full.
inline double smooth_ramp(double x, double none, double full) {
  const double part = std::clamp((x - none) / (full - none), 0.0, 1.0);
  return part * part * (3 - 2 * part);
}

}  // namespace thinwire
