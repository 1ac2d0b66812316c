#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/help.h"

namespace thinwire::cli {
namespace po = boost::program_options;
namespace {

using Words = std::vector<std::string>;

/// Commands of one word; after `first`, the second words of those that start with it.
Words command_names(const std::string& first = "") {
  Words names;
  for (const Command& command : all_commands()) {
    const std::string_view name = command.name;
    const std::size_t space = name.find(' ');
    if (!*command.summary) continue;
    if (first.empty() && space == name.npos) names.emplace_back(name);
    if (!first.empty() && space != name.npos && name.substr(0, space) == first)
      names.emplace_back(name.substr(space + 1));
  }
  return names;
}

/// Returns the words that may follow an option: none where it takes a file, a number or
/// free text. A stand-in like cuda:N is none.
Words values_of(const po::option_description& option) {
  Words words = choices_of(option);
  std::erase_if(words, [](const std::string& word) {
    return std::ranges::any_of(word, [](unsigned char c) { return std::isupper(c); });
  });
  return words;
}

/// The option called `word`, "--device" or "-o", if it takes a value; or null.
const po::option_description* option_before(const std::string& word,
                                            const po::options_description& options) {
  for (const auto& option : options.options())
    if (option->semantic()->max_tokens() > 0 && !word.empty() &&
        (word == short_name(*option) || word == "--" + option->long_name()))
      return option.get();
  return nullptr;
}

Words option_names(const Command& command, const po::options_description& options) {
  Words names;
  for (const auto& option : options.options())
    if (!is_argument(*option, command)) names.push_back("--" + option->long_name());
  return names;
}

/// All that may stand for the last of the words. It may be empty.
Words candidates(const Words& words) {
  if (words.size() == 1 || (words.size() == 2 && words[0] == "help"))
    return command_names();
  std::size_t count = 1;
  const Command* command = find_command(words, &count);
  if (command == nullptr || command->options == nullptr) return {};
  const po::options_description options = options_of(*command);
  if (const auto* option = option_before(words[words.size() - 2], options))
    return values_of(*option);
  if (words.back().starts_with("-")) return option_names(*command, options);
  if (words.size() == 2) return command_names(words[0]);
  return {};
}

}  // namespace

/// Called by the shells' completion (cli/completion/) with the words after the program's
/// name up to the cursor: prints what the last one may become, a line each, and nothing
/// where a file's name fits.
int run_complete(const Arguments& arguments) {
  Words words = arguments.words;
  if (words.empty() || words.back() == "=") words.push_back("");
  // Bash takes --option=word apart.
  std::erase(words, "=");
  for (const std::string& candidate : candidates(words))
    if (candidate.starts_with(words.back())) fmt::print("{}\n", candidate);
  return exit_done;
}

}  // namespace thinwire::cli
