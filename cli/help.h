#pragma once

#include <boost/program_options/options_description.hpp>
#include <string>
#include <vector>

#include "cli/command.h"

namespace thinwire::cli {

/// Widest line and longest page of `--help`; `--help-all` may be longer.
constexpr std::size_t help_columns = 100, help_lines = 40;

/// Options under one caption.
struct OptionGroup {
  std::string caption;
  std::vector<boost::shared_ptr<boost::program_options::option_description>> options;
};

/// Returns the options of a command, with --help and --help-all. Empty where it has none.
boost::program_options::options_description options_of(const Command& command);

/// Returns a command's options by caption, in the order of the table in help.cpp. Throws
/// std::logic_error for an option that the table lacks.
std::vector<OptionGroup> grouped_options(const Command& command);

/// Returns what follows the option's name: "FILE", "graded|as-given"; empty for a flag.
std::string value_name(const boost::program_options::option_description& option);

/// Returns the choices of an option's value, the default first; none where the value is a
/// file, a number or free text.
std::vector<std::string> choices_of(
    const boost::program_options::option_description& option);

/// Returns the option's description, with the default of a number.
std::string meaning_of(const boost::program_options::option_description& option);

/// Returns "-o", or "" where the option has a long name only.
std::string short_name(const boost::program_options::option_description& option);

/// True if the option is an argument that the command takes without the option's name:
/// the DECK of `solve DECK`.
bool is_argument(const boost::program_options::option_description& option,
                 const Command& command);

/// True for -h, --help and --help-all.
bool asks_for_help(const std::string& word);

/// Returns a command's page of help: all options, or the everyday ones where all of them
/// take more than help_lines.
std::string help_page(const Command& command, bool all);

}  // namespace thinwire::cli
