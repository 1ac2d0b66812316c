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
  po::options_description options("What to vary, what to reach, where results go");
  options.add_options()  //
      ("deck", po::value<std::string>()->value_name("DECK"),
       "NEC deck, or - for standard input")  //
      ("vary", po::value<std::vector<std::string>>()->value_name("NAME=LOWER:UPPER"),
       "symbol (SY) and its bounds; repeated")  //
      ("goal", po::value<std::vector<std::string>>()->value_name("GOAL"),
       "\"vswr(144:146) < 1.5\", \"gain(90,0) max\", \"2 * fb(90,0,145) max\"; "
       "repeated. Of vswr, r, x, |z|, gain, fb, efficiency, also min_, max_ or mean_ "
       "of a band")  //
      ("method", po::value<std::string>()->default_value("auto")->value_name("WORD"),
       "auto (slsqp), slsqp, cobyla or cma-es")  //
      ("starts", number(usual.starts, "4")->value_name("N"),
       "searches: from the deck's own values, and from points spread over the bounds; of "
       "small antennas one on each thread (cma-es: 1; its generations take "
       "all threads, or a GPU in batches)")  //
      ("evaluations",
       number(static_cast<std::int64_t>(usual.evaluations), "2000")->value_name("N"),
       "variants to solve at most, of all searches together")  //
      ("time", number(usual.seconds, "0")->value_name("S"),
       "seconds at most; 0: any")  //
      ("resolution", number(usual.resolution, "1e-4")->value_name("X"),
       "part of a variable's range below which a search need not go on")  //
      ("output-deck", file(),
       "the deck with the best values (default: DECK's stem with -optimized.nec, here; "
       "none: not written)")  //
      ("output,o", file(),
       "HDF5 history (default: DECK's stem with -optimize.h5, here; none: not "
       "written)")                                            //
      ("plot", file(), "the best over the evaluations, SVG")  //
      ("z0", po::value<double>()->value_name("OHM"),
       "what VSWR refers to (default: the deck's Z0 card, or 50)")                 //
      ("json", po::bool_switch(), "print one JSON document instead of the table")  //
      ("sweep", po::value<std::string>()->default_value("full")->value_name("WORD"),
       "frequencies of a variant: full, or fast (solves some and models the others)")  //
      ("resume", po::bool_switch(),
       "go on with a search that was stopped, from the journal beside its output")  //
      ("force", po::bool_switch(),
       "overwrite files that thinwire did not write, and unfinished searches")  //
      ("dry-run", po::bool_switch(),
       "solve the deck's own values once and say how long it will take")  //
      ("progress", po::value<std::string>()->default_value("auto")->value_name("WORD"),
       "auto, none or json")                                          //
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
