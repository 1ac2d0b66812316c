// Commands that the Python package computes (python/thinwire/_commands.py).
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/parse.h"
#include "cli/python.h"
#include "io/deck/variation.h"

namespace thinwire::cli {
namespace po = boost::program_options;
namespace {

double finite(const std::string& option, double value) {
  if (!std::isfinite(value))
    refuse_usage(fmt::format("--{}: a finite number is needed (got {}).", option, value));
  return value;
}

/// Returns the text of an option, of whose numbers, divided by , or :, all are finite.
std::string finite_numbers(const std::string& option, const std::string& text) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",:", at), text.size());
    double value = 0;
    const auto [rest, error] =
        std::from_chars(text.data() + at, text.data() + end, value);
    if (error == std::errc() && rest == text.data() + end) (void)finite(option, value);
    at = end + 1;
  }
  return text;
}

/// Parses a command's options and becomes Python with them as JSON.
int compute(const char* command, const Arguments& arguments,
            const po::options_description& options) {
  const po::variables_map values = parse(command, arguments.words, options, "deck");
  if (!given(values, "deck"))
    refuse_usage(std::string(command) + ": needs a deck. Run `thinwire help " + command +
                 "`.");
  if (options.find_nothrow("power", false) && !given(values, "power"))
    refuse_usage(std::string(command) + ": needs --power W, the power into the antenna.");
  nlohmann::json words = {{"command", command}};
  for (const auto& [name, value] : values) {
    if (const auto* text = boost::any_cast<std::string>(&value.value()))
      words[name] = finite_numbers(name, *text);
    else if (const auto* number = boost::any_cast<double>(&value.value()))
      words[name] = finite(name, *number);
    else if (const auto* count = boost::any_cast<int>(&value.value()))
      words[name] = *count;
    else
      words[name] = value.as<std::vector<std::string>>();
  }
  if (given(values, "frequency"))
    words["frequency"] = frequencies_of("--frequency", text_of(values, "frequency"));
  become_python(command, "_commands", "", {words.dump()});
}

po::options_description deck_of_question() {
  po::options_description options;
  options.add_options()                                                         //
      ("deck", po::value<std::string>()->value_name("DECK"), "NEC deck, or -")  //
      ("set", po::value<std::vector<std::string>>()->value_name("NAME=VALUE"),
       "value of a symbol (SY) of the deck; may be repeated")  //
      ("dialect", po::value<std::string>()->value_name("auto|nec2|nec4|nec5|4nec2"),
       "program that the deck was written for")  //
      ("frequency", po::value<std::string>()->value_name("LIST"),
       "frequencies, MHz or with a unit: 144:146:21 or 7.1,14.2");
  return options;
}

po::typed_value<double>* number(const char* name, double standard) {
  return po::value<double>()->value_name(name)->default_value(standard);
}

po::typed_value<std::string>* angles(const char* standard) {
  return po::value<std::string>()->value_name("LIST")->default_value(standard);
}

}  // namespace

po::options_description exposure_options() {
  po::options_description options = deck_of_question();
  options.add_options()  //
      ("power", po::value<double>()->value_name("W"),
       "power into the antenna")  //
      ("limits",
       po::value<std::string>()->value_name("LIMITS")->default_value("icnirp2020-public"),
       "icnirp2020-public, icnirp2020-occupational, or rms values in V/m and A/m")  //
      ("height", po::value<std::string>()->value_name("LIST"),
       "z of the contours, m: 0,1.8 or START:STOP:COUNT (default: the antenna's centre)")
      //
      ("step", number("DEG", 5), "between azimuths");
  return options;
}

po::options_description rcs_options() {
  po::options_description options = deck_of_question();
  options.add_options()  //
      ("theta", angles("90"),
       "angles from +z that waves come from: 90, 30,60 or START:STOP:COUNT")  //
      ("phi", angles("0:355:72"), "azimuths from +x")                         //
      ("eta", number("DEG", 0), "of the wave's field, from theta towards phi");
  return options;
}

po::options_description modes_options() {
  po::options_description options = deck_of_question();
  options.add_options()("count", po::value<int>()->value_name("N")->default_value(6),
                        "modes to list");
  return options;
}

po::options_description temperature_options() {
  po::options_description options = deck_of_question();
  options.add_options()  //
      ("sky", angles("galactic"), "brightness of the sky, K, or galactic (ITU-R P.372)")
      //
      ("ground", number("K", 290), "below the horizon")  //
      ("physical", number("K", 290), "of conductors and loads");
  return options;
}

po::options_description match_options() {
  po::options_description options = deck_of_question();
  options.add_options()                                              //
      ("kind", choice("l|pi"), "network of two parts, or of three")  //
      ("z0", po::value<double>()->value_name("OHM"),
       "of the line (default: the deck's Z0 card, or 50)")  //
      ("coil-q", number("Q", 200), "of coils")              //
      ("capacitor-q", number("Q", 1000), "of capacitors")   //
      ("q", po::value<double>()->value_name("Q"),
       "of a pi network's larger resistance (default: 5)");
  return options;
}

int run_match(const Arguments& arguments) {
  return compute("match", arguments, match_options());
}

int run_exposure(const Arguments& arguments) {
  return compute("exposure", arguments, exposure_options());
}

int run_rcs(const Arguments& arguments) {
  return compute("rcs", arguments, rcs_options());
}

int run_modes(const Arguments& arguments) {
  return compute("modes", arguments, modes_options());
}

int run_temperature(const Arguments& arguments) {
  return compute("temperature", arguments, temperature_options());
}

}  // namespace thinwire::cli
