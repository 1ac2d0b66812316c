#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/deck/deck.h"

namespace thinwire {

/// Cards that say what a file of another program does.
struct ConvertedDeck {
  std::string text;        ///< one card a line; empty: the file can be read as it is
  std::vector<int> lines;  ///< of the file that each card comes from
};

/// Turns what other programs write into a deck that NEC-2 reads alike:
/// - a file of MMANA-GAL (read_mmana());
/// - decimal commas between blanks, if the first GW card with commas has nine fields;
/// - FR, GN, GD, EX, LD, IS, TL and NT behind the last card that starts a run, of a kind
///   that the structure has nowhere else, if none of them stands between its runs. NEC-2
///   ignores them; xnec2c and 4nec2 read all cards before they run any. They move before
///   the first run, unless `reading` keeps the order.
/// `reading` gets the dialect of the converted deck.
/// Adds a line to `warnings` for each. Throws Error{deck} for a file of MMANA-GAL.
ConvertedDeck convert_deck(std::string_view text, const std::string& name,
                           std::vector<std::string>& warnings, DeckReading& reading);

}  // namespace thinwire
