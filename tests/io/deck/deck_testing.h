#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/deck/deck.h"
#include "kernels/base/error.h"

namespace thinwire::deck_testing {

/// A deck read from text under the name t.nec.
struct Read {
  Problem problem;
  std::vector<std::string> warnings;
  std::string error;  ///< empty where the deck was accepted
};

inline Read read(std::string_view text, const DeckLimits& limits = {}) {
  Read result;
  try {
    result.problem = read_deck(text, "t.nec", result.warnings, limits);
  } catch (const Error& error) {
    result.error = error.what();
  }
  return result;
}

/// Line 1 is CE, the given geometry starts on line 2.
inline Read geometry(std::string_view cards) {
  return read("CE\n" + std::string(cards) +
              "\nGE\nEX 0 0 1 0 1\nFR 0 1 0 0 30\nXQ\nEN\n");
}

/// Two 9-segment dipoles, tags 1 and 2, then the given cards from line 5 on.
inline Read control(std::string_view cards) {
  return read("CE\nGW 1 9 0 0 -2.5 0 0 2.5 .001\nGW 2 9 1 0 -2.5 1 0 2.5 .001\nGE 0\n" +
              std::string(cards) + "\nEN\n");
}

}  // namespace thinwire::deck_testing
