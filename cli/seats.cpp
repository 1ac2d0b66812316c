#include "cli/seats.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "cli/openmp_wait.h"
#include "cli/parse.h"

namespace thinwire::cli {
namespace {

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// Returns a line of standard input without blanks around it.
std::string name_on_stdin(const std::string& program, const char* what) {
  fmt::print("ENTER NAME OF {} FILE <\n", what);
  std::string line;
  std::getline(std::cin, line);
  constexpr const char* blank = " \t\r\n";
  line.erase(0, std::min(line.find_first_not_of(blank), line.size()));
  line.erase(line.find_last_not_of(blank) + 1);
  if (line.empty())
    refuse_usage(
        fmt::format("{}: no name of the {} file. Give the names of deck and "
                    "listing, a line each, on standard input.",
                    program, lower(what)));
  return line;
}

}  // namespace

std::optional<std::vector<std::string>> words_of_seat(
    const std::string& program, const std::vector<std::string>& words, char** argv) {
  const std::string name = lower(program);
  const auto is_called = [&](const char* other) { return name.find(other) != name.npos; };
  if (is_called("nec2dxs")) {
    std::vector<std::string> all = {"--layout", "nec2"};
    all.insert(all.end(), words.begin(), words.end());
    if (words.empty()) {
      wait_without_spinning(argv);  // lines cannot be read again after a second start
      const std::string deck = name_on_stdin(program, "INPUT"),
                        listing = name_on_stdin(program, "OUTPUT");
      all.insert(all.end(), {"-i", deck, "-o", listing});
    }
    return all;
  }
  if (is_called("nec5")) {
    if (words.size() != 2)
      refuse_usage(fmt::format("{}: two names are needed, deck and listing (got {}).",
                               program, words.size()));
    return std::vector<std::string>{"-i",        words[0], "-o",       words[1],
                                    "--dialect", "nec5",   "--layout", "nec2"};
  }
  for (const char* other : {"nec2c", "nec2++", "necpp"})
    if (is_called(other)) return words;
  return {};
}

}  // namespace thinwire::cli
