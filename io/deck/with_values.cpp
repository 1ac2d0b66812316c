#include "io/deck/with_values.h"

#include <fmt/format.h>

#include "io/deck/card.h"

namespace thinwire {

std::string deck_with_values(std::string_view text, const std::string& name,
                             const SymbolValues& values, int structure) {
  std::string result;
  const char* copied = text.data();
  CardScanner scanner(text, name);
  int now = 1;
  for (Card card; scanner.next(card) && card.mnemonic != "EN";) {
    if (card.mnemonic == "NX") ++now;
    if (card.mnemonic != "SY" || (structure != 0 && now != structure)) continue;
    for (const std::string_view part : split_at_commas(card.text)) {
      const std::size_t equals = part.find('=');
      const auto value = values.find(lower_name(trimmed(part.substr(0, equals))));
      if (equals == part.npos || value == values.end()) continue;
      const std::string_view formula = trimmed(part.substr(equals + 1));
      result.append(copied, formula.data());
      result += fmt::format("{}", value->second);
      copied = formula.data() + formula.size();
    }
  }
  return result.append(copied, text.data() + text.size());
}

}  // namespace thinwire
