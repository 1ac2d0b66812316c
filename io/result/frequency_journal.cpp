#include "io/result/frequency_journal.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include <thinwire_version.h>
#include "io/result/hex.h"
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
        std::string bytes = bytes_of(json.at("outcome").get_ref<const std::string&>());
        (void)outcome_of(bytes);  // throws where it is damaged
        kept[step] = std::move(bytes);
      }));
}

void FrequencyJournal::add(std::size_t step, const std::string& outcome) {
  journal_.add(Journal::line_of({{"frequency", step}, {"outcome", hex_of(outcome)}}));
}

}  // namespace thinwire
