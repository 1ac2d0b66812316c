#pragma once

#include <string>

#include "io/deck/card.h"

namespace thinwire {

/// The refusal of a card that is known but not supported, e.g. "SP (surface patch) is not
/// supported. Model ..."; empty for any other. The one place that lists such cards.
std::string unsupported_card(Mnemonic mnemonic);

/// Returns the name of an unsupported type of a supported card: "RP 4 (radial wire ground
/// screen)"; empty for any other.
std::string unsupported_type(Mnemonic mnemonic, int type);

}  // namespace thinwire
