#include "io/deck/data_cards.h"

#include <fmt/format.h>

#include <cmath>

#include "io/deck/card.h"
#include "io/deck/geometry.h"

namespace thinwire {
namespace {

constexpr std::size_t whole_fields = 4, fields = 10;

/// Returns the value of a field; like nec2c 0 where it is missing or no number.
double field_value(const CardFields& card, std::size_t field) {
  return card.has(field) && card.is_number(field) ? card.real(field, "number") : 0.0;
}

}  // namespace

std::string data_card_lines(std::string_view text, const std::string& name,
                            const SymbolValues& values) {
  CardScanner scanner(text, name);
  std::vector<std::string> seen;
  DeckMessages messages(name, seen);
  Symbols symbols(values);
  std::string lines;
  int number = 0;
  for (Card card; scanner.next(card);) {
    const Mnemonic mnemonic = card.mnemonic;
    if (mnemonic == "SY") define_symbols(card, symbols, messages);
    if (mnemonic == "SY" || mnemonic == "CM" || mnemonic == "CE" ||
        GeometryCards::knows(mnemonic))
      continue;
    const CardFields values_of(card, symbols, messages);
    lines += fmt::format("  DATA CARD No: {:3} {}", ++number, mnemonic.text());
    for (std::size_t field = 1; field <= fields; ++field) {
      const double value = field_value(values_of, field);
      // The first integer is narrower, as in nec2c.
      lines += field == 1              ? fmt::format(" {:3.0f}", std::round(value))
               : field <= whole_fields ? fmt::format(" {:5.0f}", std::round(value))
                                       : fmt::format(" {:12.5E}", value);
    }
    lines += '\n';
    if (mnemonic == "EN" || mnemonic == "NX") break;
  }
  return lines;
}

}  // namespace thinwire
