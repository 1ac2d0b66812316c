// Reads what any program's deck says, or a surface, and writes it as a plain NEC deck; or
// a result, and writes it for another program.
#include <fmt/format.h>
#include <thinwire_version.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>

#include "cli/command.h"
#include "cli/convert_result.h"
#include "cli/deck_input.h"
#include "cli/exit_code.h"
#include "cli/option_effects.h"
#include "cli/outputs.h"
#include "cli/parse.h"
#include "cli/tell.h"
#include "io/deck/surface_mesh.h"
#include "io/deck/variation.h"
#include "io/result/output_file.h"
#include "io/result/output_guard.h"
#include "kernels/base/constants.h"
#include "kernels/base/printable.h"

namespace thinwire::cli {
namespace fs = std::filesystem;
namespace po = boost::program_options;

po::options_description convert_options() {
  po::options_description options;
  options.add_options()  //
      ("input", po::value<std::vector<std::string>>()->composing()->value_name("IN OUT"),
       "deck (or -) and the NEC deck to be written (or -); a surface (.stl, .msh) and "
       "the NEC deck; or a result (.h5) and .msi, .n13, .n14, .vtp, .vts or .vti")  //
      ("set", po::value<std::vector<std::string>>()->value_name("NAME=VALUE"),
       "value of a symbol (SY) of the deck; may be repeated")  //
      ("dialect", po::value<std::string>()->value_name("auto|nec2|nec4|nec5|4nec2"),
       "program that the deck was written for")  //
      ("frequency", po::value<std::string>()->value_name("F"),
       "MHz or with a unit: of a result the nearest one is written (default: the middle "
       "one); a surface gets cells of a tenth of its wavelength")  //
      ("scale", po::value<double>()->value_name("METRES")->default_value(1, "1"),
       "length of a surface's unit (0.001: mm)")  //
      ("force", po::bool_switch(), "overwrite a foreign file");
  return options;
}

namespace {

void deliver(const fs::path& output, const std::string& text) {
  Delivery delivery;
  delivery.write(output, [&] { write_result_file(output, text); });
  delivery.print_written();
  delivery.raise();
}

/// Throws Error{usage} for options that are for other files than these.
void refuse_options(const po::variables_map& values, const char* files,
                    std::initializer_list<const char*> options) {
  for (const char* option : options)
    if (given(values, option))
      refuse_usage(
          fmt::format("convert: --{} is not for {}. Leave it out.", option, files));
}

std::optional<double> one_frequency_hz(const po::variables_map& values) {
  if (!given(values, "frequency")) return {};
  const std::vector<double> all =
      frequencies_of("--frequency", text_of(values, "frequency"));
  if (all.size() != 1)
    refuse_usage(
        fmt::format("convert: --frequency must be one frequency (got {}).", all.size()));
  return all[0];
}

void convert_deck(const fs::path& deck, const fs::path& output,
                  const po::variables_map& values) {
  refuse_options(values, "decks", {"frequency", "scale"});
  const DeckInput input = read_deck_input(deck, values);
  std::vector<std::string> warnings;
  std::string cards =
      expanded_deck(input.text, input.name, warnings, input.values, input.reading);
  // A file keeps comments as they are.
  if (is_stdout(output)) cards = printable_lines(cards);
  if (is_stdout(output))
    std::ranges::move(idle_option_warnings(values, {"no-files"}),
                      std::back_inserter(warnings));
  for (const std::string& warning : warnings) tell("warning: {}\n", warning);
  deliver(output, fmt::format("CM {} {} from {}\n{}", text_signature, THINWIRE_VERSION,
                              input.name, cards));
}

void convert_to_other_program(const fs::path& result, const fs::path& output,
                              const po::variables_map& values) {
  refuse_options(values, "results", {"set", "dialect", "scale"});
  const ConvertedResult converted =
      convert_result(result, output, one_frequency_hz(values));
  if (!converted.note.empty()) tell("{}: {}\n", shown(output), converted.note);
  deliver(output, converted.text);
}

bool is_surface(const fs::path& input) {
  return suffix_of(input) == ".stl" || suffix_of(input) == ".msh";
}

void convert_surface(const fs::path& input, const fs::path& output,
                     const po::variables_map& values) {
  refuse_options(values, "surfaces", {"set", "dialect"});
  const std::optional<double> frequency_hz = one_frequency_hz(values);
  if (!frequency_hz)
    refuse_usage(
        "convert: a surface needs --frequency, whose wavelength gives the cells.");
  const double scale =
      in_range("convert", "scale", values["scale"].as<double>(), 1e-9, 1e9);
  std::ifstream in(input, std::ios::binary);
  if (!in) fail_file(input, "cannot be opened", "Check the path and its permissions.");
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  std::vector<std::string> notes;
  const SurfaceMesh mesh = cleaned(read_surface_mesh(bytes, shown(input), scale),
                                   speed_of_light_m_per_s / *frequency_hz / 10, notes);
  for (const std::string& note : notes) tell("{}: {}\n", shown(input), note);
  deliver(output, wire_grid_deck(mesh, *frequency_hz,
                                 fmt::format("{} {} from {}", text_signature,
                                             THINWIRE_VERSION, shown(input.filename()))));
}

}  // namespace

int run_convert(const Arguments& arguments) {
  const po::variables_map values =
      parse("convert", arguments.words, convert_options(), "input");
  const auto files = given(values, "input")
                         ? values["input"].as<std::vector<std::string>>()
                         : std::vector<std::string>();
  if (files.size() != 2)
    refuse_usage(
        fmt::format("convert: two files are needed, what is read and what is written "
                    "(got {}). Run `thinwire help convert`.",
                    files.size()));
  const fs::path input = files[0], output = files[1];
  const bool result = is_made_of_result(output);
  if (!result && output != "-" && suffix_of(output) != ".nec")
    refuse_usage(
        fmt::format("convert: {} ends in none of .nec, .msi, .n13, .n14, .vtp, .vts and "
                    ".vti. Name such a file.",
                    shown(output)));
  const std::string_view kind = !result ? file_kind::deck
                                : suffix_of(output).starts_with(".v")
                                    ? file_kind::vtk
                                    : file_kind::pattern;
  const PlannedOutput planned[] = {{output, std::string(kind), overwrite_of(values)}};
  check_outputs("convert", planned, std::vector<fs::path>{input});
  if (result)
    convert_to_other_program(input, output, values);
  else if (is_surface(input))
    convert_surface(input, output, values);
  else
    convert_deck(input, output, values);
  return exit_done;
}

}  // namespace thinwire::cli
