#include "io/result/frequency_journal.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include <thinwire_version.h>
#include "mom/frequency_ledger.h"
#include "mom/outcome_bytes.h"

namespace thinwire {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// Bytes mean the same to the program that wrote them only.
Json header_of(const Problem& problem, const std::string& settings) {
  return {{"format", "thinwire-solve-journal"},
          {"version", THINWIRE_VERSION " (" THINWIRE_GIT_COMMIT ")"},
          {"deck", problem.deck_text},
          {"settings", settings}};
}

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    hex += digits[static_cast<unsigned char>(byte) >> 4];
    hex += digits[static_cast<unsigned char>(byte) & 15];
  }
  return hex;
}

/// Throws std::invalid_argument.
std::string bytes_of(const std::string& hex) {
  std::string bytes(hex.size() / 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char* const digits = hex.data() + 2 * i;
    unsigned char byte = 0;
    if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2)
      throw std::invalid_argument("no hexadecimal digits");
    bytes[i] = static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace

FrequencyJournal::FrequencyJournal(const fs::path& path, const Problem& problem,
                                   const std::string& settings)
    : journal_(path, header_of(problem, settings)) {}

FrequencyJournal FrequencyJournal::resumed(const fs::path& path, const Problem& problem,
                                           const std::string& settings, Outcomes& kept) {
  const std::size_t steps = step_count(problem);
  return FrequencyJournal(
      Journal::resumed(path, header_of(problem, settings), [&](const Json& json) {
        const std::size_t step = json.at("frequency");
        if (step >= steps) throw std::out_of_range("no such frequency");
        std::string bytes = bytes_of(json.at("outcome"));
        (void)outcome_of(bytes);  // throws where it is damaged
        kept[step] = std::move(bytes);
      }));
}

void FrequencyJournal::add(std::size_t step, const std::string& outcome) {
  journal_.add({{"frequency", step}, {"outcome", hex_of(outcome)}});
}

}  // namespace thinwire
