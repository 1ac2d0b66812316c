#include "io/deck/unsupported.h"

#include <fmt/format.h>

namespace thinwire {

namespace {

struct Named {
  std::string_view mnemonic;
  int type;  ///< -1: all of the card
  std::string_view what;
};

constexpr Named table[] = {
    {"SP", -1, "surface patch"},
    {"SM", -1, "multiple surface patches"},
    {"SC", -1, "surface patch, continued"},
    {"GF", -1, "numerical Green's function file"},
    {"WG", -1, "write numerical Green's function file"},
    {"CP", -1, "coupling between antennas"},
    {"GD", -1, "second ground medium"},
    {"NT", -1, "two-port network"},
    {"TL", -1, "transmission line"},
    {"PL", -1, "plot file"},
    {"CW", -1, "catenary wire of NEC-4"},
    {"IS", -1, "insulated wire of NEC-4"},
    {"UM", -1, "surrounding medium of NEC-4"},
    {"EX", 1, "plane wave, linear polarisation"},
    {"EX", 2, "plane wave, right-hand elliptic polarisation"},
    {"EX", 3, "plane wave, left-hand elliptic polarisation"},
    {"EX", 4, "elementary current source"},
    {"EX", 5, "voltage source by current-slope discontinuity"},
    {"EX", 6, "current source of 4nec2"},
    {"GN", 0, "finite ground by reflection coefficients"},
    {"GN", 2, "finite ground by Sommerfeld's method"},
    {"GN", 3, "MININEC ground of 4nec2"},
    {"RP", 1, "surface wave"},
    {"RP", 2, "linear cliff"},
    {"RP", 3, "circular cliff"},
    {"RP", 4, "radial wire ground screen"},
    {"RP", 5, "radial wire ground screen and linear cliff"},
    {"RP", 6, "radial wire ground screen and circular cliff"},
    {"PT", 1, "currents of a receiving pattern"},
    {"PT", 2, "normalised receiving pattern"},
    {"PT", 3, "normalised receiving pattern, one segment"},
};

}  // namespace

std::string unsupported_card(std::string_view mnemonic) {
  for (const Named& named : table) {
    if (named.type < 0 && named.mnemonic == mnemonic) {
      return fmt::format("{} ({})", named.mnemonic, named.what);
    }
  }
  return {};
}

std::string unsupported_type(std::string_view mnemonic, int type) {
  for (const Named& named : table) {
    if (named.type == type && named.mnemonic == mnemonic) {
      return fmt::format("{} {} ({})", named.mnemonic, named.type, named.what);
    }
  }
  return {};
}

}  // namespace thinwire
