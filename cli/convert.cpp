// Reads what any program's deck says, and writes it as a plain NEC deck.
#include <fmt/format.h>
#include <thinwire_version.h>

#include <algorithm>
#include <iterator>

#include "cli/command.h"
#include "cli/deck_input.h"
#include "cli/exit_code.h"
#include "cli/option_effects.h"
#include "cli/outputs.h"
#include "cli/parse.h"
#include "cli/tell.h"
#include "io/result/output_file.h"
#include "io/result/output_guard.h"
#include "kernels/base/printable.h"

namespace thinwire::cli {
namespace fs = std::filesystem;
namespace po = boost::program_options;

po::options_description convert_options() {
  po::options_description options;
  options.add_options()  //
      ("input",
       po::value<std::vector<std::string>>()->composing()->value_name("DECK OUT.nec"),
       "deck, or - for standard input; and the NEC deck to be written, or -")  //
      ("set", po::value<std::vector<std::string>>()->value_name("NAME=VALUE"),
       "value of a symbol (SY) of the deck; may be repeated")  //
      ("dialect", po::value<std::string>()->value_name("auto|nec2|nec4|nec5|4nec2"),
       "program that the deck was written for")  //
      ("force", po::bool_switch(), "overwrite a foreign file");
  return options;
}

int run_convert(const Arguments& arguments) {
  const po::variables_map values =
      parse("convert", arguments.words, convert_options(), "input");
  const auto files = given(values, "input")
                         ? values["input"].as<std::vector<std::string>>()
                         : std::vector<std::string>();
  if (files.size() != 2)
    refuse_usage(
        fmt::format("convert: two files are needed, a deck and the NEC deck to be "
                    "written (got {}). Run `thinwire help convert`.",
                    files.size()));
  const fs::path deck = files[0], output = files[1];
  if (output != "-" && output.extension() != ".nec")
    refuse_usage(
        fmt::format("convert: {} does not end in .nec, the only format that is "
                    "written. Name such a file, or -.",
                    shown(output)));
  const PlannedOutput planned[] = {
      {output, std::string(file_kind::deck), overwrite_of(values)}};
  check_outputs("convert", planned, std::vector<fs::path>{deck});
  const DeckInput input = read_deck_input(deck, values);
  std::vector<std::string> warnings;
  const std::string cards =
      expanded_deck(input.text, input.name, warnings, input.values, input.reading);
  if (is_stdout(output))
    std::ranges::move(idle_option_warnings(values, {"no-files"}),
                      std::back_inserter(warnings));
  for (const std::string& warning : warnings) tell("warning: {}\n", warning);
  Delivery delivery;
  delivery.write(output, [&] {
    write_result_file(output, fmt::format("CM {} {} from {}\n{}", text_signature,
                                          THINWIRE_VERSION, input.name, cards));
  });
  delivery.print_written();
  delivery.raise();
  return exit_done;
}

}  // namespace thinwire::cli
