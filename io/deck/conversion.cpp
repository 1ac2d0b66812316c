#include "io/deck/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "io/deck/card.h"
#include "io/deck/mmana.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

using std::string_view;

/// The two letters of a card, in upper case; empty for what is none.
Mnemonic mnemonic_of(string_view line) {
  const string_view body = trimmed(line);
  const bool ends = body.size() == 2 || (body.size() > 2 && !std::isalpha(body[2]));
  if (!ends || !std::isalpha(body[0])) return {};
  return {static_cast<char>(std::toupper(body[0])),
          static_cast<char>(std::toupper(body[1]))};
}

/// The first number with a decimal comma of a line; empty where there is none.
string_view decimal_comma_of(string_view line) {
  const Mnemonic mnemonic = mnemonic_of(line);
  if (mnemonic.empty() || mnemonic == "CM" || mnemonic == "CE") return {};
  return decimal_comma(mnemonic, trimmed(trimmed(line).substr(2)));
}

/// Whether the first GW card with commas has nine fields between blanks, and decimal
/// commas in them.
bool has_decimal_commas(string_view text, const std::string& name,
                        std::vector<std::string>& warnings) {
  if (text.find(',') == text.npos) return false;
  Lines lines(text);
  string_view line;
  for (int number = 1; lines.next(line); ++number) {
    if (line.find(',') == line.npos || mnemonic_of(line) != "GW") continue;
    const string_view decimal = decimal_comma_of(line);
    std::size_t fields = 0;
    for (bool blank = true; const char c : trimmed(trimmed(line).substr(2))) {
      const bool was_blank = std::exchange(blank, c == ' ' || c == '\t');
      fields += was_blank && !blank ? 1 : 0;
    }
    // Not `,001`: that may be the radius 1 behind a separator.
    const std::size_t comma = std::min(decimal.find(','), decimal.size());
    const bool found = comma > 0 && is_digit(decimal[comma - 1]) && fields == 9;
    if (found)
      warnings.push_back(
          fmt::format("{}:{}: GW has decimal commas ('{}'); those of all cards are read "
                      "as points.",
                      name, number, decimal));
    return found;
  }
  return false;
}

/// Cards that take effect at the next run, and the kind that replaces them.
Mnemonic kind_of(Mnemonic mnemonic) {
  constexpr Mnemonic kinds[] = {"FR", "GN", "GD", "EX", "LD", "IS", "TL"};
  if (std::ranges::find(kinds, mnemonic) != std::end(kinds)) return mnemonic;
  return mnemonic == "NT" || mnemonic == "LN" ? "TL" : Mnemonic();
}

bool starts_run(Mnemonic mnemonic) {
  return mnemonic == "RP" || mnemonic == "XQ" || mnemonic == "NE" || mnemonic == "NH" ||
         mnemonic == "WG";
}

/// Lines of one structure that are read before its first run.
struct Moved {
  std::size_t first_run;
  std::vector<std::size_t> lines;  ///< ascending
};

/// Finds the cards behind the last runs that move.
std::vector<Moved> cards_to_move(string_view text, bool keep, const std::string& name,
                                 std::vector<std::string>& warnings) {
  constexpr std::size_t none = ~std::size_t{0};
  struct Behind {
    std::size_t line;
    Mnemonic mnemonic;
  };
  std::vector<Moved> moved;
  std::size_t line_number = 0, first_run = none;
  std::set<Mnemonic> kinds;  // of this structure, up to its last run
  std::vector<Behind> behind;
  bool sequential = false;  // cards stand between its runs, as only NEC-2 reads them
  const auto end_structure = [&] {
    if (first_run == none) behind.clear();  // all of it is one run
    Moved moves{first_run, {}};
    std::set<Mnemonic> warned;
    for (const auto& [line, mnemonic] : behind) {
      const bool moving = !keep && !sequential && !kinds.contains(kind_of(mnemonic));
      if (moving) moves.lines.push_back(line);
      if (!warned.insert(kind_of(mnemonic)).second) continue;
      warnings.push_back(fmt::format(
          "{}:{}: {} stands behind the last XQ, RP, NE or NH, where NEC-2 ignores it. {}",
          name, line + 1, mnemonic.text(),
          moving ? "It is used, as in xnec2c and 4nec2, which read all cards first."
                 : "Move it before them if it is meant."));
    }
    if (!moves.lines.empty()) moved.push_back(std::move(moves));
    first_run = none;
    sequential = false;
    kinds.clear();
    behind.clear();
  };
  Lines lines(text);
  for (string_view line; lines.next(line); ++line_number) {
    if (line.starts_with("GW")) continue;  // most lines of a large deck
    const Mnemonic mnemonic = mnemonic_of(line);
    if (mnemonic == "EN") break;
    if (mnemonic == "NX") {
      end_structure();
    } else if (starts_run(mnemonic)) {
      sequential |= first_run != none && !behind.empty();
      first_run = std::min(first_run, line_number);
      for (const auto& card : behind) kinds.insert(kind_of(card.mnemonic));
      behind.clear();
    } else if (!kind_of(mnemonic).empty()) {
      behind.push_back({line_number, mnemonic});
    }
  }
  end_structure();
  return moved;
}

}  // namespace

ConvertedDeck convert_deck(string_view text, const std::string& name,
                           std::vector<std::string>& warnings, DeckReading& reading) {
  if (is_mmana(text)) {
    if (reading.dialect != Dialect::automatic)
      warnings.push_back(
          fmt::format("{}: --dialect has no effect on a file of MMANA-GAL.", name));
    reading.dialect = Dialect::fournec2;
    return read_mmana(text, name, warnings);
  }
  if (const std::string why = broken_mmana(text, name); !why.empty())
    throw Error(ErrorKind::deck, fmt::format("{}: {}", name, why));
  const bool keep = reading.in_order || (reading.dialect != Dialect::automatic &&
                                         reading.dialect != Dialect::fournec2);
  const bool commas = has_decimal_commas(text, name, warnings);
  const std::vector<Moved> moved = cards_to_move(text, keep, name, warnings);
  ConvertedDeck deck;
  if (!commas && moved.empty()) return deck;
  std::vector<string_view> lines;
  Lines all(text);
  for (string_view line; all.next(line);) lines.push_back(line);
  const auto write = [&](std::size_t number) {
    const std::size_t begin = deck.text.size();
    deck.text += lines[number];
    if (commas && !decimal_comma_of(lines[number]).empty())
      std::replace(deck.text.begin() + static_cast<std::ptrdiff_t>(begin),
                   deck.text.end(), ',', '.');
    deck.text += '\n';
    deck.lines.push_back(static_cast<int>(number) + 1);
  };
  std::vector<bool> written(lines.size());
  auto next = moved.begin();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (next != moved.end() && next->first_run == i) {
      for (const std::size_t line : next->lines) {
        write(line);
        written[line] = true;
      }
      ++next;
    }
    if (!written[i]) write(i);
  }
  return deck;
}

}  // namespace thinwire
