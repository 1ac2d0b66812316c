#pragma once

#include <string>
#include <string_view>

#include "io/deck/formula.h"

namespace thinwire {

/// The deck with numbers for these symbols in its SY cards, in the place of what they
/// said; all else, comments too, stays as it is. The numbers read back to the last bit.
/// structure: whose, of those that NX divides the deck into, from 1; 0: all. name: of the
/// deck, for messages. The deck has been read before without error.
std::string deck_with_values(std::string_view text, const std::string& name,
                             const SymbolValues& values, int structure = 0);

}  // namespace thinwire
