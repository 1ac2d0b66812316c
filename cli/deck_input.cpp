#include "cli/deck_input.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/interrupt.h"
#include "cli/openmp_wait.h"
#include "cli/parse.h"
#include "cli/processes.h"
#include "io/deck/variation.h"
#include "io/result/matrix_file.h"
#include "io/result/options_json.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"
#include "mom/problem/stored_matrix.h"

namespace thinwire::cli {
namespace fs = std::filesystem;
namespace po = boost::program_options;
namespace {

SymbolValues symbol_values(const po::variables_map& values) {
  SymbolValues symbols;
  if (!values.count("set")) return symbols;
  for (const std::string& word : values["set"].as<std::vector<std::string>>()) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(ErrorKind::usage,
                  fmt::format("--set must be NAME=VALUE (got {}).", quote_text(word)));
    const std::string name = word.substr(0, equals);
    try {
      const double value = evaluate(word.substr(equals + 1), Symbols());
      if (!symbols.emplace(lower_name(name), value).second)
        throw Error(ErrorKind::usage,
                    fmt::format("--set {} is given twice. Leave one out.", name));
    } catch (const UnknownName& error) {
      throw Error(ErrorKind::usage,
                  fmt::format("--set {}: the value must be a number or a formula of "
                              "numbers (got {}).",
                              name, quote_text(word.substr(equals + 1))));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::usage) throw;
      throw Error(ErrorKind::usage, fmt::format("--set {}: {}", name, error.what()));
    }
  }
  return symbols;
}

/// Whether DECK can be read more than once: a file, no pipe.
bool can_be_read_again(const fs::path& deck) {
  std::error_code unknown;
  return !is_standard_input(deck) && fs::is_regular_file(deck, unknown);
}

/// Throws Error{file} where standard input is closed or a folder.
std::string read_standard_input() {
  std::string text = read_deck_text(std::cin, "stdin");
  // The stream shows a failed read as an end.
  if (std::ferror(stdin) != 0)
    throw Error(ErrorKind::file,
                fmt::format("stdin: cannot be read ({}). Give a NEC deck there.",
                            std::strerror(errno)));
  return text;
}

}  // namespace

po::options_description deck_options() {
  po::options_description options;
  options.add_options()  //
      ("set", po::value<std::vector<std::string>>()->value_name("NAME=VALUE"),
       "value of a symbol (SY) of the deck; may be repeated")  //
      ("frequency", po::value<std::string>()->value_name("LIST"),
       "frequencies, MHz: 144:146:21, 1.8GHz (default: FR cards)")  //
      ("structure", po::value<int>()->value_name("N"),
       "one of the deck's structures, which NX divides (default: all)")  //
      ("dialect", po::value<std::string>()->value_name("auto|nec2|nec4|nec5|4nec2"),
       "program that the deck was written for")  //
      ("patches", po::value<std::string>()->value_name("refuse|grid"),
       "surface patches (SP, SM): refused, or made wire grids of equal area");
  return options;
}

std::vector<Problem> DeckInput::problems(std::vector<std::string>& warnings,
                                         const Monitor& monitor) const {
  std::vector<Problem> all = read_structures(
      text, name, warnings, {}, values,
      [this](const std::string& file, Problem& problem) {
        read_matrix_file(folder, file, problem);
      },
      monitor, reading);
  if (!frequency_hz.empty())
    for (Problem& problem : all) replace_frequencies(problem, frequency_hz, warnings);
  if (structure == 0) return all;
  if (structure > static_cast<int>(all.size()))
    throw Error(ErrorKind::usage,
                fmt::format("--structure {}: {} holds {} (NX). Give a number up to that.",
                            structure, name, all.size()));
  std::vector<Problem> one;
  one.push_back(std::move(all[static_cast<std::size_t>(structure - 1)]));
  return one;
}

std::vector<fs::path> DeckInput::files(std::span<const Problem> problems) const {
  std::vector<fs::path> all = {path};
  for (const Problem& problem : problems)
    if (problem.stored) all.push_back(problem.stored->path);
  return all;
}

std::vector<fs::path> matrices_named_in(const fs::path& deck) {
  std::vector<fs::path> named;
  if (!can_be_read_again(deck)) return named;
  std::ifstream in(deck);
  for (std::string line; std::getline(in, line);) {
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    const std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
    if (all.size() > 1 && lower_name(all.front()) == "gf")
      named.push_back(deck.parent_path() / all.back());
  }
  return named;
}

bool is_standard_input(const fs::path& deck) {
  return deck == "-";
}

void restart_before_reading(const fs::path& deck, int threads, char** argv) {
  constexpr std::uintmax_t read_at_once = 1 << 20;
  std::error_code unknown;
  const bool again =
      can_be_read_again(deck) && fs::file_size(deck, unknown) <= read_at_once;
  if (!again && threads != 1) wait_without_spinning(argv);
}

fs::path deck_name(const fs::path& deck) {
  return is_standard_input(deck) ? "stdin" : deck;
}

std::vector<Problem> DeckInput::problems_with(const SymbolValues& others) const {
  DeckInput changed = *this;
  for (const auto& [symbol, value] : others) changed.values[symbol] = value;
  std::vector<std::string> told_before;
  return changed.problems(told_before);
}

std::vector<Problem> read_problems(const DeckInput& input,
                                   std::vector<std::string>& warnings,
                                   ProgressMode mode) {
  const InterruptGuard guard({}, OnInterrupt::end);
  ProgressLine progress(mode);
  return input.problems(warnings, progress.monitor().part(0, read_share));
}

DeckInput read_deck_input(const fs::path& deck, const po::variables_map& values) {
  DeckInput input;
  input.path = deck;
  input.values = symbol_values(values);
  if (values.count("frequency"))
    input.frequency_hz = frequencies_of("--frequency", text_of(values, "frequency"));
  if (values.count("structure")) {
    input.structure = values["structure"].as<int>();
    if (input.structure < 1)
      throw Error(ErrorKind::usage, fmt::format("--structure must be 1 or more (got {}).",
                                                input.structure));
  }
  if (values.count("dialect"))
    input.reading.dialect =
        dialect_named("--dialect", values["dialect"].as<std::string>());
  if (values.count("patches"))
    input.reading.patch_grids =
        patch_grids_named("--patches", values["patches"].as<std::string>());
  input.name = shown(deck_name(deck).filename());
  input.folder = deck.parent_path();
  if (is_first_process())
    input.text = is_standard_input(deck) ? read_standard_input() : read_deck_text(deck);
  broadcast(input.text);
  return input;
}

std::string reading_options(const DeckReading& reading) {
  std::string options;
  if (reading.dialect != Dialect::automatic)
    options += fmt::format(" --dialect {}", name_of(reading.dialect));
  if (reading.patch_grids) options += " --patches grid";
  return options;
}

std::string settings_text(const DeckInput& input, const Options& options) {
  nlohmann::json all = options_json(options);
  for (const char* without_effect : {"threads", "z0"}) all.erase(without_effect);
  nlohmann::json settings = {
      {"set", input.values}, {"structure", input.structure}, {"options", all}};
  if (!input.frequency_hz.empty()) settings["frequency_hz"] = input.frequency_hz;
  return settings.dump();
}

}  // namespace thinwire::cli
