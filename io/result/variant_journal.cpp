#include "io/result/variant_journal.h"

#include <nlohmann/json.hpp>

namespace thinwire {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Json header_of(const VariantSweep& sweep) {
  Json variations = Json::array();
  for (const Variation& variation : sweep.variations)
    variations.push_back({{"name", variation.name}, {"values", variation.values}});
  return {{"format", "thinwire-sweep-journal"},
          {"version", 2},
          {"deck", sweep.deck_text},
          {"vary", variations},
          {"frequency_hz", sweep.frequency_hz},
          {"settings", sweep.settings}};
}

}  // namespace

VariantJournal::VariantJournal(const fs::path& path, const VariantSweep& sweep)
    : journal_(path, header_of(sweep)) {}

VariantJournal VariantJournal::resumed(const fs::path& path, VariantSweep& sweep) {
  return VariantJournal(Journal::resumed(path, header_of(sweep), [&](const Json& json) {
    sweep.variants.at(json.at("variant").get<std::size_t>()) = variant_of(json);
  }));
}

std::string VariantJournal::line_of(std::size_t variant, const Variant& solved) {
  Json json = variant_json(solved, true);
  json["variant"] = variant;
  return Journal::line_of(json);
}

void VariantJournal::add(const std::string& line) {
  journal_.add(line);
}

}  // namespace thinwire
