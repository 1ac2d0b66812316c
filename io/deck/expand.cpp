// The deck that is left when symbols and formulas are resolved.
#include <fmt/format.h>

#include <cmath>

#include "io/deck/cables.h"
#include "io/deck/card.h"
#include "io/deck/control.h"
#include "io/deck/conversion.h"
#include "io/deck/deck.h"
#include "io/deck/geometry.h"

namespace thinwire {

namespace {

/// Cards start with whole numbers, which NEC-2 does not take as 3.0000001. NEC-5's decks
/// keep their mark, the GE card's second field behind a comma. 4nec2's places on wires
/// become segments.
std::string fields_text(const CardFields& card, const Problem& problem) {
  const bool is_nec5 = problem.deck_dialect == name_of(Dialect::nec5);
  if (is_nec5 && card.card().mnemonic == "GE")
    return fmt::format(" {},-1", card.integer(1, "ground"));
  const bool geometry = GeometryCards::knows(card.card().mnemonic);
  // Cards of our own have words among their fields, and more of these.
  const Mnemonic mnemonic = card.card().mnemonic;
  const bool own = mnemonic == "LN" || mnemonic == "TL";
  const std::size_t whole_fields = geometry ? 2 : 4,
                    fields = own        ? card.card().fields.size()
                             : geometry ? 9
                                        : 10;
  std::string text;
  for (std::size_t field = 1; field <= fields && card.has(field); ++field) {
    const std::string_view word = card.card().fields[field - 1];
    if ((mnemonic == "LN" && field >= 5 && field % 4 == 1) ||
        (mnemonic == "TL" && field == 5 && find_cable(unsigned_name(word)) != nullptr)) {
      text += ' ';
      text += word;
      continue;
    }
    if (card.is_percentage(field)) {
      const bool ends = own || mnemonic == "NT" || mnemonic == "CP";
      const std::span<const Segment> segments = problem.structure.segments();
      text +=
          fmt::format(" {}", segment_at(card, card.integer(ends ? field - 1 : 2, "tag"),
                                        field, segments, TagIndex(segments)));
      continue;
    }
    if (!card.is_number(field)) break;  // words where the card has no field
    const double value = card.real(field, "number");
    text += ' ';
    text += number_text(field <= whole_fields ? std::round(value) : value);
  }
  return text;
}

}  // namespace

std::string expanded_deck(std::string_view text, const std::string& name,
                          std::vector<std::string>& warnings, const SymbolValues& values,
                          const DeckReading& reading) {
  const std::vector<Problem> structures =
      read_structures(text, name, warnings, {}, values, {}, {}, reading);
  auto structure = structures.begin();
  std::vector<std::string> seen;
  DeckReading converted_reading = reading;
  const ConvertedDeck converted = convert_deck(text, name, seen, converted_reading);
  CardScanner scanner(converted.text.empty() ? text : converted.text, name, 0,
                      converted.lines);
  DeckMessages messages(name, seen);
  Symbols symbols(values);
  std::string result;
  Mnemonic last;
  bool comments_ended = false;
  for (Card card; last != "EN" && scanner.next(card); last = card.mnemonic) {
    if (card.mnemonic == "NX" && scanner.at_end()) card.mnemonic = "EN";
    if (card.mnemonic == "NX") {
      result += "NX\n";
      ++structure;
      symbols = Symbols(values);
      comments_ended = false;
      continue;
    }
    if (card.mnemonic == "SY") {
      define_symbols(card, symbols, messages);
      continue;
    }
    const bool comment = card.mnemonic == "CM" || card.mnemonic == "CE";
    if (!comments_ended && !comment) result += "CE\n";
    comments_ended |= !comment || card.mnemonic == "CE";
    if (card.mnemonic == "Z0" || card.mnemonic == "ZO") {
      warnings.push_back(messages.place(card.line) +
                         ": Z0 is left out: NEC-2 has no such card.");
      continue;
    }
    const CardFields fields(card, symbols, messages);
    if (card.mnemonic == "LN" || (card.mnemonic == "TL" && fields.has(5) &&
                                  (fields.has(11) || !fields.is_number(5))))
      warnings.push_back(
          messages.place(card.line) + ": " + card.mnemonic.text() +
          " is kept, but other programs do not know ladders, nor lines with "
          "losses.");
    result += card.mnemonic.text();
    if (comment && !card.text.empty()) result += ' ';
    result += comment ? std::string(card.text) : fields_text(fields, *structure);
    result += '\n';
  }
  return last == "EN" ? result : result + "EN\n";
}

}  // namespace thinwire
