#pragma once

#include <string>
#include <string_view>

#include "io/deck/formula.h"

namespace thinwire {

/// The cards behind the geometry of one structure, as nec2c echoes them in its listing: a
/// line `DATA CARD No: n XX` with four whole numbers and six others for each, formulas
/// resolved. `values`: of symbols, instead of what SY cards say. The text is that of a
/// deck that was read; throws Error{deck} where it is none.
std::string data_card_lines(std::string_view text, const std::string& name,
                            const SymbolValues& values);

}  // namespace thinwire
