#pragma once

#include <string>
#include <string_view>

#include "io/deck/card.h"

namespace thinwire {

/// The programs whose decks differ in what cards mean (docs/reference/decks.md).
/// `automatic` reads what NEC-2, NEC-4 and 4nec2 agree on and the cards that only one of
/// them has, and finds NEC-5's decks by their marks.
enum class Dialect { automatic, nec2, nec4, nec5, fournec2 };

/// Returns the name of a dialect on the command line: "auto", "nec2", "4nec2".
std::string_view name_of(Dialect dialect);

/// Returns the dialect of that name. Throws Error{usage}: "`option` must be one of ...".
Dialect dialect_named(std::string_view option, std::string_view word);

/// Returns whether surface patches become grids: of the words refuse and grid. Throws as
/// dialect_named() does.
bool patch_grids_named(std::string_view option, std::string_view word);

/// Returns "grid" or "refuse".
std::string_view patches_name(bool patch_grids);

/// Returns what marks a deck as NEC-5's, as the beginning of a sentence; empty where
/// nothing does. `end`: its GE card, whose second field -1 behind a comma is such a mark.
/// `behind`: positioned behind it. There it is commas between all fields, and cards that
/// name node -1 of a wire or the current source EX 4 at a node. No mark counts beside a
/// card that NEC-5 lacks.
std::string nec5_mark(const CardFields& end, CardScanner behind);

/// Returns the refusal of a card or type of a card that another dialect has, such as "EX
/// 6 (current source) is a card of 4nec2. ..."; empty where `dialect` has it.
std::string foreign_card(const CardFields& card, Dialect dialect);

}  // namespace thinwire
