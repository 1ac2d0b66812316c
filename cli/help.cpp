#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <sstream>
#include <stdexcept>

namespace thinwire::cli {
namespace po = boost::program_options;
namespace {

/// Options of all commands by caption, in the order of a page.
struct Caption {
  const char* text;
  std::string_view everyday;      ///< on every page
  std::string_view further = "";  ///< left out of long pages
};

constexpr Caption captions[] = {
    {"Input",
     "deck result input vary goal frequency set power limits height step theta phi eta "
     "sky "
     "ground physical",
     "structure dialect patches"},
    {"Network", "kind coil-q capacitor-q q", ""},
    {"Search", "method starts evaluations time", "resolution"},
    {"Measurement",
     "unknowns n max-n matrix format type scale repeats time-limit gpus gpus-a-host "
     "network devices gmres assembly colours list apply"},
    {"Output",
     "count output layout output-deck csv touchstone listing html plot title json "
     "pattern z0 "
     "gradient expand dry-run resume force quiet",
     "save-matrix progress"},
    {"Accuracy", "sweep mesh kernel max-seconds",
     "proximity tolerance refine reference operator-tolerance"},
    {"Solver", "solver precond", "boxes coarse operator max-iterations"},
    {"Machine", "port no-browser device gpu-only threads",
     "precision placement split ranks"},
    {"Help", "help help-all version"},
};

/// Widest column of names and values.
constexpr std::size_t max_names = 40;

std::vector<std::string> words_of(std::string_view text, char separator) {
  std::vector<std::string> words;
  std::istringstream in{std::string(text)};
  for (std::string word; std::getline(in, word, separator);) words.push_back(word);
  return words;
}

bool holds(std::string_view list, const std::string& word) {
  return std::ranges::count(words_of(list, ' '), word) > 0;
}

/// "-o, --output FILE", or "DECK".
std::string left_column(const po::option_description& option, const Command& command) {
  const std::string value = value_name(option);
  if (is_argument(option, command)) return value;
  const std::string name = short_name(option);
  return fmt::format("{}{}--{}{}{}", name, name.empty() ? "" : ", ", option.long_name(),
                     value.empty() ? "" : " ", value);
}

/// The text in lines of at most `width` columns, the later ones behind `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string all;
  std::size_t column = 0;
  for (const std::string& word : words_of(text, ' ')) {
    if (column > 0 && column + 1 + word.size() > width) {
      all += '\n' + std::string(indent, ' ');
      column = 0;
    }
    if (column > 0) all += ' ';
    all += word;
    column += word.size() + (column > 0);
  }
  return all;
}

std::string opening(const Command& command) {
  std::string summary = command.summary;
  summary.front() = static_cast<char>(std::toupper(summary.front()));
  return wrapped(fmt::format("thinwire {} {}", command.name, command.usage), 0,
                 help_columns) +
         '\n' + summary + ".\n\n";
}

std::string page_of(const Command& command, bool all) {
  std::vector<OptionGroup> groups = grouped_options(command);
  std::string left_out;
  std::size_t names = 0;
  for (OptionGroup& group : groups) {
    const auto* const caption =
        std::ranges::find(captions, std::string_view(group.caption), &Caption::text);
    std::erase_if(group.options, [&](const auto& option) {
      if (all || !holds(caption->further, option->long_name())) return false;
      left_out += (left_out.empty() ? "--" : ", --") + option->long_name();
      return true;
    });
    for (const auto& option : group.options)
      if (const auto width = left_column(*option, command).size(); width <= max_names)
        names = std::max(names, width);
  }
  const std::size_t indent = names + 4;
  std::string page = opening(command);
  bool choices = false;
  for (const OptionGroup& group : groups) {
    if (group.caption == "Help") continue;
    if (!group.options.empty()) page += fmt::format("{}:\n", group.caption);
    for (const auto& option : group.options) {
      const std::string left = left_column(*option, command);
      choices = choices || !choices_of(*option).empty();
      page += fmt::format("  {:<{}}", left, names + 2);
      if (left.size() > names) page += '\n' + std::string(indent, ' ');
      page += wrapped(meaning_of(*option), indent, help_columns - indent) + '\n';
    }
  }
  std::string notes = choices ? "Of a|b|c the first is the default." : "";
  if (*command.notes) notes += fmt::format(" {}", command.notes);
  if (!left_out.empty()) notes += fmt::format(" More in --help-all: {}.", left_out);
  if (!notes.empty()) page += '\n' + wrapped(notes, 0, help_columns) + '\n';
  return page;
}

}  // namespace

po::options_description options_of(const Command& command) {
  po::options_description options;
  if (command.options == nullptr) return options;
  options.add(command.options());
  if (options.find_nothrow("help", false) == nullptr)
    options.add_options()("help,h", po::bool_switch(), "everyday options");
  options.add_options()("help-all", po::bool_switch(), "all options");
  return options;
}

std::vector<OptionGroup> grouped_options(const Command& command) {
  const po::options_description options = options_of(command);
  std::vector<OptionGroup> groups;
  std::size_t placed = 0;
  for (const Caption& caption : captions) {
    OptionGroup group{caption.text, {}};
    for (const std::string_view list : {caption.everyday, caption.further})
      for (const std::string& name : words_of(list, ' '))
        for (const auto& option : options.options())
          if (option->long_name() == name) group.options.push_back(option);
    placed += group.options.size();
    if (!group.options.empty()) groups.push_back(std::move(group));
  }
  if (placed != options.options().size())
    throw std::logic_error(
        fmt::format("{}: an option has no caption in cli/help.cpp", command.name));
  return groups;
}

std::string value_name(const po::option_description& option) {
  if (option.semantic()->max_tokens() == 0) return "";
  const std::string value = option.format_parameter();  // "N (=8)"
  return value.substr(0, value.find(" (="));
}

std::vector<std::string> choices_of(const po::option_description& option) {
  std::vector<std::string> choices = words_of(value_name(option), '|');
  if (choices.size() < 2) choices.clear();
  return choices;
}

std::string meaning_of(const po::option_description& option) {
  const std::string value = option.format_parameter(), &text = option.description();
  const std::size_t standard = value.find(" (=");
  if (standard == value.npos || !choices_of(option).empty() ||
      text.find("default") != text.npos || option.semantic()->max_tokens() == 0)
    return text;
  return fmt::format("{} (default: {}", text, value.substr(standard + 3));
}

std::string short_name(const po::option_description& option) {
  const std::string names = option.format_name();  // "-o [ --output ]" or "--csv"
  return names.starts_with("--") ? "" : names.substr(0, 2);
}

bool is_argument(const po::option_description& option, const Command& command) {
  const std::string value = value_name(option);
  return !value.empty() && std::string_view(command.usage).starts_with(value);
}

bool asks_for_help(const std::string& word) {
  return word == "--help" || word == "-h" || word == "--help-all";
}

std::string help_page(const Command& command, bool all) {
  std::string page = page_of(command, true);
  if (all || std::ranges::count(page, '\n') <= static_cast<long>(help_lines)) return page;
  return page_of(command, false);
}

}  // namespace thinwire::cli
