#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thinwire {

/// One goal of an optimisation: a function of an antenna's results, over one frequency or
/// several, and a bound or a direction for it.
struct Goal {
  enum class Quantity {
    vswr,           ///< at a source
    resistance,     ///< ohm, at a source
    reactance,      ///< ohm, at a source
    magnitude,      ///< of the impedance, ohm, at a source
    gain,           ///< dBi; without a direction, the largest over all directions
    front_to_back,  ///< dB: gain in a direction over that at phi + 180 degrees
    efficiency      ///< 0..1: input power less losses, over input power
  };
  /// How the values at several frequencies are combined.
  enum class Over { each, largest, smallest, mean };
  enum class Aim { below, above, equal, smallest, largest };
  struct Direction {
    double theta_deg = 0, phi_deg = 0;
  };

  std::string text;  ///< as it was given
  Quantity quantity = Quantity::vswr;
  std::size_t source = 0;  ///< of the deck's sources, from 0
  std::optional<Direction> direction;
  std::vector<double> frequency_hz;  ///< empty: the deck's
  /// Where the goal does not say: the worst for its aim, and each for `equal`.
  Over over = Over::largest;
  Aim aim = Aim::below;
  double bound = 0;   ///< of the aims below, above, equal
  double weight = 1;  ///< of the goal in what is optimised

  /// A bound to keep, and no quantity to drive as far as it goes.
  bool is_bound() const { return aim != Aim::smallest && aim != Aim::largest; }
  bool at_source() const { return quantity <= Quantity::magnitude; }
  bool is_of_gain() const {
    return quantity == Quantity::gain || quantity == Quantity::front_to_back;
  }
};

/// [WEIGHT *] FUNCTION[@SOURCE][([THETA, PHI,] [F | F1:F2 | F1:F2:COUNT])]
/// followed by < NUMBER, > NUMBER, = NUMBER, min or max (docs/guide/optimize.md).
/// Frequencies in MHz, SOURCE from 1; capital letters mean the same. Throws Error{usage}
/// that says where the text is wrong, and what is known.
Goal goal_of(std::string_view text);

/// "ohm", "dBi", "dB", or empty.
std::string_view unit_of(Goal::Quantity quantity);

}  // namespace thinwire
