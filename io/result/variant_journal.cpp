#include "io/result/variant_journal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json header_of(const VariantSweep& sweep) {
  Json variations = Json::array();
  for (const Variation& variation : sweep.variations)
    variations.push_back({{"name", variation.name}, {"values", variation.values}});
  return {{"format", "thinwire-sweep-journal"},
          {"version", 1},
          {"deck", sweep.deck_text},
          {"vary", variations},
          {"frequency_hz", sweep.frequency_hz},
          {"settings", sweep.settings}};
}

/// The first line of a journal; null where it is none.
Json read_header(std::istream& in) {
  std::string line;
  std::getline(in, line);
  Json header = Json::parse(line, nullptr, false);
  if (header.is_object() && header.value("format", Json()) == "thinwire-sweep-journal")
    return header;
  return nullptr;
}

void refuse_other(const fs::path& path, const Json& kept, const Json& wanted) {
  const std::pair<const char*, const char*> parts[] = {
      {"version", "version of this program's journals"},
      {"deck", "deck"},
      {"vary", "variation (--vary)"},
      {"frequency_hz", "variation (--vary f)"},
      {"settings", "values or solver options (--set, --mesh, ..)"}};
  for (const auto& [key, what] : parts)
    if (kept.value(key, Json()) != Json::parse(dump(wanted.at(key))))
      throw Error(ErrorKind::usage,
                  fmt::format("sweep: --resume: {} is of another {}. Give what it was "
                              "begun with, or leave --resume out and give --force.",
                              path.string(), what));
}

}  // namespace

VariantJournal::VariantJournal(const fs::path& path, const char* mode)
    : path_(path), file_(std::fopen(path.c_str(), mode)) {
  if (!file_)
    throw Error(ErrorKind::file,
                fmt::format("{}: cannot be written ({}). Choose another --output.",
                            path.string(), std::strerror(errno)));
}

VariantJournal::VariantJournal(const fs::path& path, const VariantSweep& sweep)
    : VariantJournal(path, "wb") {
  write_line(dump(header_of(sweep)));
}

VariantJournal VariantJournal::resumed(const fs::path& path, VariantSweep& sweep) {
  std::ifstream in(path, std::ios::binary);
  const Json header = read_header(in);
  if (header.is_null())
    throw Error(ErrorKind::file,
                fmt::format("{}: no journal of a sweep, nothing to go on with. Leave "
                            "--resume out and give --force.",
                            path.string()));
  refuse_other(path, header, header_of(sweep));
  if (in.eof())
    throw Error(ErrorKind::file,
                fmt::format("{}: cut short before its first variant. Leave --resume out "
                            "and give --force.",
                            path.string()));
  auto whole = static_cast<std::uintmax_t>(in.tellg());
  for (std::string line; std::getline(in, line) && !in.eof();) {
    const Json json = Json::parse(line, nullptr, false);
    try {
      sweep.variants.at(json.at("variant").get<std::size_t>()) = variant_of(json);
    } catch (const std::exception&) {
      throw Error(ErrorKind::file,
                  fmt::format("{}: damaged at byte {}. Leave --resume out and give "
                              "--force.",
                              path.string(), whole));
    }
    whole = static_cast<std::uintmax_t>(in.tellg());
  }
  in.close();
  std::error_code failed;
  fs::resize_file(path, whole, failed);
  if (failed)
    throw Error(ErrorKind::file,
                fmt::format("{}: cannot be written ({}). Name another result with -o.",
                            path.string(), failed.message()));
  return {path, "ab"};
}

void VariantJournal::add(std::size_t variant, const Variant& solved) {
  Json json = variant_json(solved, true);
  json["variant"] = variant;
  write_line(dump(json));
}

void VariantJournal::write_line(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() &&
      std::fputc('\n', file_.get()) != EOF && std::fflush(file_.get()) == 0;
  if (!written)
    throw Error(ErrorKind::file,
                fmt::format("{}: cannot be written ({}). Free space, then go on with "
                            "--resume.",
                            path_.string(), std::strerror(errno)));
}

}  // namespace thinwire
