#include "io/deck/unsupported.h"

#include <fmt/format.h>

namespace thinwire {

namespace {

struct Named {
  Mnemonic mnemonic;
  int type;  ///< -1: all of the card
  std::string_view what;
  std::string_view hint = "";  ///< what to do instead of a card
};

constexpr std::string_view wire_grid =
    "Read it as a grid of wires with --patches grid, or draw one (GW).";

constexpr Named table[] = {
    {"SP", -1, "surface patch", wire_grid},
    {"SM", -1, "multiple surface patches", wire_grid},
    {"SC", -1, "surface patch, continued", wire_grid},
    {"CW", -1, "catenary wire of NEC-4", "Draw the wire with GW cards."},
    {"UM", -1, "surrounding medium of NEC-4", "Only free space surrounds the wires."},
    {"EX", 4, "elementary current source in space"},
};

}  // namespace

std::string unsupported_card(Mnemonic mnemonic) {
  for (const Named& named : table) {
    if (named.type < 0 && named.mnemonic == mnemonic) {
      return fmt::format("{} ({}) is not supported.{}{}", named.mnemonic.text(),
                         named.what, named.hint.empty() ? "" : " ", named.hint);
    }
  }
  return {};
}

std::string unsupported_type(Mnemonic mnemonic, int type) {
  for (const Named& named : table) {
    if (named.type == type && named.mnemonic == mnemonic) {
      return fmt::format("{} {} ({})", named.mnemonic.text(), named.type, named.what);
    }
  }
  return {};
}

}  // namespace thinwire
