#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/deck/conversion.h"

namespace thinwire {

/// Whether the text is a MMANA-GAL file (.maa): a title or none, a line "*", and one with
/// a number.
bool is_mmana(std::string_view text);

/// Returns why a file that is_mmana() does not take is none of MMANA-GAL, though its
/// headings (***Wires***) say so, or its name (.maa) and no card; empty where they do
/// not.
std::string broken_mmana(std::string_view text, std::string_view name);

/// Returns the cards of a MMANA-GAL file, with 4nec2's LD 6 and GN 3 among them; wire N
/// has tag N. docs/reference/decks.md has the rules. Adds one line to `warnings` on what
/// was inferred, and one for everything that the cards lack. Throws Error{deck}:
/// `name:line: problem`.
ConvertedDeck read_mmana(std::string_view text, const std::string& name,
                         std::vector<std::string>& warnings);

}  // namespace thinwire
