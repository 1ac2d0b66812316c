#pragma once

#include <string>
#include <string_view>

namespace thinwire {

/// A coaxial cable: what its type or data sheet gives.
struct Cable {
  std::string_view name;
  double impedance_ohm, velocity_factor;
  /// Loss of a matched line, dB per 100 feet: the first times the root of the frequency
  /// in MHz, the second times the frequency.
  double loss_db_per_100_ft[2];
};

/// Returns the cable of a type, in whatever case; null for any other text.
const Cable* find_cable(std::string_view name);

/// Returns the name without the minus sign of a crossed line.
inline std::string_view unsigned_name(std::string_view text) {
  return text.substr(text.starts_with('-') ? 1 : 0);
}

/// Returns the types, for messages: "RG-58, RG-213, ...".
std::string cable_names();

}  // namespace thinwire
