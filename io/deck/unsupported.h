#pragma once

#include <string>
#include <string_view>

namespace thinwire {

/// What a card is called where it is known but not supported, e.g. "TL (transmission
/// line)"; empty for any other. The one place that lists such cards.
std::string unsupported_card(std::string_view mnemonic);

/// The same for a type of a supported card: EX 1, GN 2, RP 4, ...
std::string unsupported_type(std::string_view mnemonic, int type);

}  // namespace thinwire
