#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <set>

#include "cli/command.h"
#include "cli/deck_input.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/parse.h"
#include "cli/progress_line.h"
#include "cli/result_table.h"
#include "cli/tell.h"
#include "cli/tuning_cache.h"
#include "geometry/advice.h"
#include "kernels/base/bytes_text.h"
#include "kernels/base/constants.h"
#include "kernels/base/counted.h"
#include "kernels/base/printable.h"
#include "mom/plan/planner.h"
#include "mom/problem/stored_matrix.h"
#include "mom/warnings/model_warnings.h"

namespace thinwire::cli {
namespace po = boost::program_options;

po::options_description check_options() {
  po::options_description options;
  options.add_options()  //
      ("deck", po::value<std::string>()->value_name("DECK"),
       "NEC deck, or - for standard input")  //
      ("expand", po::bool_switch(),
       "print the deck with symbols and formulas resolved, and stop");
  options.add(deck_options());
  return options;
}

namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

std::string text(const Range& range) {
  const std::string low = fmt::format("{:.4g}", range.low);
  const std::string high = fmt::format("{:.4g}", range.high);
  return low == high ? low : low + " .. " + high;
}

/// Returns the range of the segments' lengths.
Range print_structure(const Problem& problem) {
  Range length_m, radius_m, ratio;
  std::set<int> tags;
  for (const Segment& s : problem.structure.segments()) {
    const double length = norm(s.end_m - s.start_m);
    length_m.add(length);
    radius_m.add(s.radius_m);
    ratio.add(length / s.radius_m);
    tags.insert(s.tag);
  }
  fmt::print("{}: {}, {}\n", problem.name,
             counted(problem.structure.segments().size(), "segment"),
             counted(tags.size(), "tag"));
  if (tags.empty()) return length_m;
  fmt::print("  segment length   {} m\n", text(length_m));
  fmt::print("  wire radius      {} m\n", text(radius_m));
  fmt::print("  length / radius  {}\n", text(ratio));
  return length_m;
}

/// Empty for free space.
std::string text(const Ground& ground) {
  if (ground == Ground::none) return "";
  if (ground == Ground::perfect) return "perfect ground";
  const char* how = ground.kind == Ground::Kind::sommerfeld ? "real ground by "
                                                              "Sommerfeld's integrals"
                    : ground.is_real() ? "real ground by reflection coefficients"
                                       : "perfect ground to currents, real to patterns";
  std::string line =
      fmt::format("{}, permittivity {:g}, conductivity {:g} S/m", how,
                  ground.relative_permittivity, ground.conductivity_s_per_m);
  if (ground.screen.radials > 0)
    line +=
        fmt::format(", {} of {:g} m",
                    counted(static_cast<std::size_t>(ground.screen.radials), "radial"),
                    ground.screen.radius_m);
  return line;
}

void print_runs(const Problem& problem, const Range& length_m) {
  fmt::print("\n{:>5} {:>12} {:>22} {:>22} {:>22} {:>6} {:>6} {:>9}\n", "run",
             "frequencies", "MHz", "wavelength m", "segments/wavelength", "ports",
             "loads", "patterns");
  for (std::size_t r = 0; r < problem.runs.size(); ++r) {
    const Run& run = problem.runs[r];
    Range mhz, wavelength_m, density;
    for (const double frequency_hz : run.frequency_hz) {
      const double wavelength = speed_of_light_m_per_s / frequency_hz;
      mhz.add(frequency_hz / 1e6);
      wavelength_m.add(wavelength);
      density.add(wavelength / length_m.low);
      density.add(wavelength / length_m.high);
    }
    fmt::print("{:>5} {:>12} {:>22} {:>22} {:>22} {:>6} {:>6} {:>9}\n", r,
               run.frequency_hz.size(), text(mhz), text(wavelength_m), text(density),
               run.sources.size(), run.loads.size(), run.patterns.size());
  }
  for (std::size_t r = 0; r < problem.runs.size(); ++r) {
    const Run& run = problem.runs[r];
    if (const std::string ground = text(run.ground); !ground.empty())
      fmt::print("run {}: {}\n", r, ground);
    if (!run.networks.empty())
      fmt::print("run {}: {} between segments\n", r,
                 counted(run.networks.size(), "network"));
    if (run.waves)
      fmt::print("run {}: {}\n", r, counted(run.waves->count(), "incident plane wave"));
  }
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) tell("warning: {}\n", warning);
}

/// Prints what a solve on the CPU would need, with the options' defaults.
void print_needs(const Problem& problem, const Monitor& monitor, ProgressLine& progress) {
  Options options;
  options.monitor = monitor;
  options.device = {DeviceRequest::Kind::cpu, 0};
  if (problem.stored) {
    options.mesh = problem.stored->mesh;
    options.refinement = problem.stored->refinement;
    options.kernel = problem.stored->kernel;
  }
  std::vector<std::string> warnings;
  Planner planner(problem, options);
  choose_cpu_rates(planner, options, warnings);
  print_warnings(warnings);
  const Plan& needed = planner.choose(options);
  progress.clear();
  if (needed.buried.elements > 0)
    fmt::print("\nin the ground: {}\n", buried_text(needed.buried));
  fmt::print("\n{}, {} of memory, about {} on the CPU\n",
             counted(needed.unknowns, "unknown"),
             bytes_text(static_cast<double>(needed.host_bytes)),
             seconds_text(needed.predicted_seconds));
  if (needed.ground_table_bytes() > 0)
    fmt::print("of it a table of the ground: {}, {} at the highest frequency\n",
               bytes_text(static_cast<double>(needed.ground_table_bytes())),
               seconds_text(needed.ground_table_seconds()));
  if (!needed.shortage.empty()) tell("warning: {}\n", needed.shortage);
}

/// All of the structure's, and what the model's runs add.
std::vector<std::string> to_look_at(const Problem& problem, const Monitor& monitor) {
  Options options;
  std::vector<std::string> lines =
      geometry_advice(problem.structure, 5, monitor.part(0, 0.7));
  options.monitor = monitor.part(0.7, 1);
  for (std::string& line : run_warnings(problem, options))
    lines.push_back(std::move(line));
  return lines;
}

void print_problem(const Problem& problem) {
  const InterruptGuard guard({}, OnInterrupt::end);
  ProgressLine progress(ProgressMode::automatic);
  const Monitor monitor([&progress](const Progress& p) { progress.show(p); },
                        InterruptGuard::stop());
  print_runs(problem, print_structure(problem));
  std::fflush(stdout);
  const std::vector<std::string> advice = to_look_at(problem, monitor.part(0, 0.7));
  progress.clear();
  fmt::print("\n{}\n", advice.empty() ? "no problems found: the deck can be solved"
                                      : "worth a look before solving:");
  for (const std::string& line : advice) fmt::print("  {}\n", line);
  print_needs(problem, monitor.part(0.7, 1), progress);
}

int expand(const DeckInput& input) {
  std::vector<std::string> warnings;
  fmt::print("{}", printable_lines(expanded_deck(input.text, input.name, warnings,
                                                 input.values, input.reading)));
  print_warnings(warnings);
  return exit_done;
}

}  // namespace

int run_check(const Arguments& arguments) {
  const po::variables_map values =
      parse("check", arguments.words, check_options(), "deck");
  if (text_of(values, "deck").empty())
    throw Error(ErrorKind::usage, "check: no deck given. Run `thinwire help check`.");
  std::vector<std::string> warnings;
  const DeckInput input = read_deck_input(text_of(values, "deck"), values);
  if (values["expand"].as<bool>()) return expand(input);
  const std::vector<Problem> problems =
      read_problems(input, warnings, ProgressMode::automatic);
  print_warnings(warnings);
  for (const Problem& problem : problems) {
    if (&problem != &problems.front()) fmt::print("\n");
    print_problem(problem);
  }
  return exit_done;
}

}  // namespace thinwire::cli
