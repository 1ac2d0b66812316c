#include "cli/optimize_settings.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "cli/command.h"
#include "cli/deck_input.h"
#include "cli/parse.h"
#include "kernels/base/error.h"

namespace thinwire::cli {
namespace po = boost::program_options;

po::options_description optimize_options() {
  const auto number = [](auto standard, const char* text) {
    return po::value<decltype(standard)>()->default_value(standard, text);
  };
  const SearchSettings defaults;
  po::options_description options;
  options.add_options()  //
      ("deck", po::value<std::string>()->value_name("DECK"),
       "NEC deck, or - for standard input")  //
      ("vary", po::value<std::vector<std::string>>()->value_name("NAME=LOWER:UPPER"),
       "symbol (SY) and its bounds; may be repeated")  //
      ("goal", po::value<std::vector<std::string>>()->value_name("GOAL"),
       "goal, such as \"vswr(144:146) < 1.5\"; may be repeated")  //
      ("method", choice("auto|slsqp|cobyla|cma-es"),
       "search method (auto: slsqp)")  //
      ("starts", number(defaults.starts, "4")->value_name("N"),
       "searches from different points (default: 4, cma-es 1)")  //
      ("evaluations",
       number(static_cast<std::int64_t>(defaults.evaluations), "2000")->value_name("N"),
       "limit on solved variants")  //
      ("time", number(defaults.seconds, "0")->value_name("S"),
       "time limit in seconds (default 0: none)")  //
      ("resolution", number(defaults.resolution, "1e-4")->value_name("X"),
       "fraction of a variable's range below which a search ends")  //
      ("output-deck", file_name(),
       "best deck, or none (default: DECK-optimized.nec)")  //
      ("output,o", file_name(),
       "HDF5 history, or none (default: DECK-optimize.h5)")                    //
      ("plot", file_name(), "best value over the variants solved, as a page")  //
      ("z0", po::value<double>()->value_name("OHM"),
       "reference of VSWR (default: Z0 card, or 50)")                              //
      ("json", po::bool_switch(), "print one JSON document instead of the table")  //
      ("sweep", choice("full|fast"),
       "solve every frequency, or some and model the others")  //
      ("resume", po::bool_switch(),
       "resume an interrupted search from its journal")  //
      ("force", po::bool_switch(),
       "overwrite foreign files and unfinished searches")  //
      ("dry-run", po::bool_switch(),
       "solve the deck as it is, and predict the time")                     //
      ("progress", choice("auto|none|json"), "progress on standard error")  //
      ("quiet", po::bool_switch(), "no progress, notes or warnings");
  options.add(deck_options()).add(solver_options());
  return options;
}

SearchSettings read_search_settings(const po::variables_map& values) {
  SearchSettings settings;
  settings.method = choice_named<SearchMethod>("--method", text_of(values, "method"));
  settings.starts = values["starts"].as<int>();
  if (!given(values, "starts")) settings.starts = default_starts(settings.method);
  const auto evaluations = values["evaluations"].as<std::int64_t>();
  settings.evaluations = static_cast<std::size_t>(evaluations);
  settings.seconds = values["time"].as<double>();
  settings.resolution = values["resolution"].as<double>();
  if (!(settings.starts >= 1 && settings.starts <= 10000))
    refuse_usage(fmt::format("--starts must be 1..10000 (got {}).", settings.starts));
  if (evaluations < 1 || evaluations > 100'000'000)
    refuse_usage(fmt::format("--evaluations must be 1..1e8 (got {}).", evaluations));
  if (!(settings.seconds >= 0 && std::isfinite(settings.seconds)))
    refuse_usage(fmt::format("--time must be 0 or more (got {:g}).", settings.seconds));
  if (!(settings.resolution > 0 && settings.resolution < 1))
    refuse_usage(fmt::format("--resolution must be between 0 and 1 (got {:g}).",
                             settings.resolution));
  return settings;
}

}  // namespace thinwire::cli
