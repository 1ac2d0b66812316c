#pragma once

#include <optional>

#include "mom/problem/solution.h"

namespace thinwire {

/// Radiated over input power; absent where the integral of the far field was not
/// computed, or where no power goes in.
inline std::optional<double> efficiency(const FrequencyResult& result) {
  if (!result.radiated_power_w || !(result.input_power_w > 0)) return std::nullopt;
  return *result.radiated_power_w / result.input_power_w;
}

/// Radiated power and all losses over input power: 1, but for the errors of the solution.
/// Absent where efficiency() is.
inline std::optional<double> power_balance(const FrequencyResult& result) {
  const std::optional<double> radiated = efficiency(result);
  if (!radiated) return std::nullopt;
  return *radiated + (result.loss_power_w + result.network_loss_w) / result.input_power_w;
}

}  // namespace thinwire
