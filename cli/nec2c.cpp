#include <fmt/format.h>
#include <thinwire_version.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/command.h"
#include "cli/deck_input.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/openmp_wait.h"
#include "cli/option_effects.h"
#include "cli/outputs.h"
#include "cli/parse.h"
#include "cli/tell.h"
#include "cli/tuning_cache.h"
#include "io/result/matrix_file.h"
#include "io/result/output_file.h"
#include "io/result/write_listing.h"
#include "mom/solve.h"
#include "mom/warnings/model_warnings.h"

namespace thinwire::cli {
namespace fs = std::filesystem;
namespace po = boost::program_options;

po::options_description nec2c_options() {
  po::options_description options("nec2c");
  options.add_options()                                                      //
      ("input,i", po::value<std::string>()->value_name("DECK"), "deck")      //
      ("output,o", po::value<std::string>()->value_name("FILE"), "listing")  //
      ("layout", choice("nec2c|nec2"),
       "headings and columns of the listing: nec2c's, or those of NEC-2 and nec2dxs")  //
      ("help,h", po::bool_switch(), "usage")                                           //
      ("version,v", po::bool_switch(), "version");
  options.add(solver_options()).add(deck_options());
  return options;
}

namespace {

constexpr const char* usage =
    "usage: nec2c [-i<input-file-name>] [-o<output-file-name>]\n"
    "       -h: print this usage information and exit.\n"
    "       -v: print nec2c version number and exit.\n"
    "       --help-all: print all options, thinwire's --solver, --mesh and so on too.\n";

/// Checks all that the deck's structures write against all that they were read from.
void check_files(const fs::path& out, const std::vector<Problem>& problems,
                 const std::vector<fs::path>& inputs) {
  // nec2c replaces whatever stands under the listing's name, and programs that call it
  // count on that.
  std::vector<PlannedOutput> planned = {
      {out, std::string(file_kind::listing), Overwrite::foreign}};
  for (const Problem& problem : problems)
    for (const Run& run : problem.runs)
      planned.push_back({run.matrix_file, std::string(file_kind::matrix)});
  check_outputs("nec2c", planned, inputs);
}

ListingLayout layout_of(const std::string& word) {
  if (word == "nec2c") return ListingLayout::nec2c;
  if (word == "nec2") return ListingLayout::nec2;
  throw Error(ErrorKind::usage,
              fmt::format("--layout must be one of nec2c, nec2 (got '{}').", word));
}

/// Ends lines with CR and LF, as the programs of Windows that write such decks read them.
std::string with_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

/// Solves the deck and writes the listing; gives the exit code. Empties `out` while an
/// error must not be written there.
int solve_to_listing(const fs::path& deck, fs::path& out, const po::variables_map& values,
                     Options options, std::vector<std::string> warnings, char** argv,
                     Delivery& delivery) {
  DeckInput input = read_deck_input(deck, values);
  input.reading.in_order = true;  // as in nec2c
  const std::vector<Problem> problems = input.problems(warnings);
  const std::vector<fs::path> inputs = input.files(problems);
  fs::path listing_path = std::exchange(out, {});
  check_files(listing_path, {}, inputs);
  out = std::move(listing_path);
  check_files(out, problems, inputs);
  const ListingLayout layout = layout_of(text_of(values, "layout"));
  std::string listing;
  int worst = exit_done;
  for (const Problem& problem : problems) {
    for (std::string& warning : model_warnings(problem, options))
      warnings.push_back(std::move(warning));
    std::unique_ptr<Planner> planner = choose_threads(problem, options, argv);
    if (!planner) planner = std::make_unique<Planner>(problem, options);
    choose_cpu_rates(*planner, options, warnings);
    for (std::string& warning : idle_option_warnings(values, *planner, options))
      warnings.push_back(std::move(warning));
    planner->choose(options);
    const Solution solution = solve(*planner);
    warnings.insert(warnings.end(), solution.warnings.begin(), solution.warnings.end());
    if (solution.stored)
      delivery.write(solution.stored->name, [&] {
        write_matrix_file(solution.stored->name, problem, *solution.stored,
                          InterruptGuard::stop());
      });
    listing += solution_listing(problem, solution, layout);
    worst = std::max(worst, exit_code(solution));
  }
  if (layout == ListingLayout::nec2 && input.text.find("\r\n") != std::string::npos)
    listing = with_crlf(listing);
  for (const std::string& warning : warnings) tell("warning: {}\n", warning);
  delivery.write(out, [&] { write_result_file(out, listing, InterruptGuard::stop()); });
  return worst;
}

/// Programs around nec2c look into the listing for what went wrong.
void leave_error_listing(const fs::path& out, const Error& error) {
  if (out.empty()) return;
  try {
    write_result_file(out, error_listing(error.what()));
  } catch (const Error&) {
    // The first error is the one to report.
  }
}

}  // namespace

int run_nec2c(const Arguments& arguments) {
  if (std::ranges::count(arguments.words, "--help-all") > 0) {
    fmt::print("{}", help_page(*find_command("nec2c"), true));
    return exit_done;
  }
  const po::options_description options_known = nec2c_options();
  const po::variables_map values = parse("nec2c", arguments.words, options_known);
  if (values["help"].as<bool>()) {
    fmt::print("{}", usage);
    return exit_done;
  }
  if (values["version"].as<bool>()) {
    fmt::print("nec2c (thinwire {})\n", THINWIRE_VERSION);
    return exit_done;
  }
  const fs::path deck = text_of(values, "input");
  if (deck.empty())
    throw Error(ErrorKind::usage, "nec2c: no input file. Give it with -i DECK.");
  fs::path out =
      output_path("nec2c", values, "output", deck_name(deck).replace_extension(".out"));
  std::vector<std::string> warnings;
  Options options = read_solver_options(values, warnings);
  restart_before_reading(deck, options.threads, arguments.argv);
  std::vector<fs::path> inputs = matrices_named_in(deck);
  inputs.push_back(deck);
  check_files(out, {}, inputs);
  const InterruptGuard guard({out}, OnInterrupt::end);
  options.monitor = Monitor({}, InterruptGuard::stop());
  Delivery delivery;
  int worst = exit_done;
  try {
    worst =
        solve_to_listing(deck, out, values, options, warnings, arguments.argv, delivery);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) leave_error_listing(out, error);
    throw;
  }
  delivery.raise();
  return worst;
}

}  // namespace thinwire::cli
