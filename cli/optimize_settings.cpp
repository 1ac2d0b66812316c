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
  const auto file = [] { return po::value<std::string>()->value_name("FILE"); };
  const auto number = [](auto standard, const char* text) {
    return po::value<decltype(standard)>()->default_value(standard, text);
  };
  const SearchSettings usual;
  po::options_description options("Variables, goals, results and progress");
  options.add_options()  //
      ("deck", po::value<std::string>()->value_name("DECK"),
       "NEC deck, or - for standard input")  //
      ("vary", po::value<std::vector<std::string>>()->value_name("NAME=LOWER:UPPER"),
       "variable (a symbol of the deck, SY) and its bounds; may be repeated")  //
      ("goal", po::value<std::vector<std::string>>()->value_name("GOAL"),
       "goal, such as \"vswr(144:146) < 1.5\", \"gain(90,0) max\" or \"2 * fb(90,0,145) "
       "max\"; may be repeated. Functions: vswr, r, x, |z|, gain, fb, efficiency; with "
       "min_, max_ or mean_ over a band")  //
      ("method", po::value<std::string>()->default_value("auto")->value_name("WORD"),
       "auto (slsqp), slsqp, cobyla or cma-es")  //
      ("starts", number(usual.starts, "4")->value_name("N"),
       "number of searches: one from the deck's values, the others from points spread "
       "over the bounds (cma-es: 1)")  //
      ("evaluations",
       number(static_cast<std::int64_t>(usual.evaluations), "2000")->value_name("N"),
       "limit on solved variants, all searches together")  //
      ("time", number(usual.seconds, "0")->value_name("S"),
       "time limit in seconds (0: none)")  //
      ("resolution", number(usual.resolution, "1e-4")->value_name("X"),
       "fraction of a variable's range below which a search ends")  //
      ("output-deck", file(),
       "deck with the best values (default: the deck's name with -optimized.nec, in the "
       "current folder; none: not written)")  //
      ("output,o", file(),
       "HDF5 history of all variants (default: the deck's name with -optimize.h5, in the "
       "current folder; none: not written)")                                //
      ("plot", file(), "page (HTML): best value over the variants solved")  //
      ("z0", po::value<double>()->value_name("OHM"),
       "reference impedance of VSWR (default: the deck's Z0 card, or 50)")         //
      ("json", po::bool_switch(), "print one JSON document instead of the table")  //
      ("sweep", po::value<std::string>()->default_value("full")->value_name("WORD"),
       "frequencies of a variant: full (solves all) or fast (solves some and models the "
       "others)")  //
      ("resume", po::bool_switch(),
       "resume an interrupted search from the journal beside its output")  //
      ("force", po::bool_switch(),
       "overwrite files that thinwire did not write, and unfinished searches")  //
      ("dry-run", po::bool_switch(),
       "solve the deck with its own values, predict the time of the search, and stop")  //
      ("progress", po::value<std::string>()->default_value("auto")->value_name("WORD"),
       "progress on standard error: auto, none or json")              //
      ("quiet", po::bool_switch(), "no progress, notes or warnings")  //
      ("help,h", po::bool_switch(), "this page");
  options.add(deck_options()).add(solver_options());
  return options;
}

SearchSettings read_search_settings(const po::variables_map& values) {
  SearchSettings settings;
  settings.method = search_method_named("--method", text_of(values, "method"));
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
