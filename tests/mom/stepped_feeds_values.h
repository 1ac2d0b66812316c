// Capacitances of thick dipoles fed through thin wires, printed by
// tests/golden/stepped_feeds.py, which says what they are.
#pragma once

#include <vector>

namespace thinwire {

struct SteppedFeed {
  const char* name;
  /// Radii and lengths of half the dipole, metre: the thin wire, then what follows it.
  std::vector<std::vector<double>> radius_length;
  double open_f, closed_f;  ///< without and with faces at the far ends
};

inline const std::vector<SteppedFeed> stepped_feeds{
    {"gap of half a radius", {{0.002, 0.025}, {0.1, 10}}, 8.9068e-11, 8.9125e-11},
    {"gap of a fifth", {{0.002, 0.01}, {0.1, 10}}, 9.9076e-11, 9.9134e-11},
    {"gap of two radii", {{0.002, 0.1}, {0.1, 10}}, 8.2295e-11, 8.2353e-11},
    {"short dipole", {{0.002, 0.025}, {0.1, 1}}, 2.6069e-11, 2.6171e-11},
    {"ratio of five", {{0.02, 0.025}, {0.1, 10}}, 8.9543e-11, 8.9601e-11},
    {"thin tips", {{0.002, 0.025}, {0.1, 5}, {0.02, 5}}, 7.8753e-11, 7.8761e-11},
};

}  // namespace thinwire
