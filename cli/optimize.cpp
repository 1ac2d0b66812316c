#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <sstream>

#include "bench/optimization_plot.h"
#include "cli/command.h"
#include "cli/deck_input.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/openmp_wait.h"
#include "cli/parse.h"
#include "cli/progress_line.h"
#include "cli/tuning_cache.h"
#include "io/deck/parameters.h"
#include "io/deck/variation.h"
#include "io/deck/with_values.h"
#include "io/result/output_file.h"
#include "io/result/write_optimization.h"
#include "mom/solve.h"
#include "mom/thread_choice.h"

namespace thinwire::cli {
namespace fs = std::filesystem;
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
       "auto, slsqp, cobyla, bobyqa, sbplx, direct, crs or esch")  //
      ("starts", number(usual.starts, "4")->value_name("N"),
       "searches: from the deck's own values, and from points spread over the bounds")  //
      ("evaluations", number(usual.evaluations, "2000")->value_name("N"),
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
      ("force", po::bool_switch(), "overwrite files that thinwire did not write")      //
      ("dry-run", po::bool_switch(),
       "solve the deck's own values once and say how long it will take")  //
      ("progress", po::value<std::string>()->default_value("auto")->value_name("WORD"),
       "auto, none or json")                                          //
      ("quiet", po::bool_switch(), "no progress, notes or warnings")  //
      ("help,h", po::bool_switch(), "this page");
  options.add(deck_options()).add(solver_options());
  return options;
}

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorKind::usage, text);
}

SearchSettings read_settings(const po::variables_map& values) {
  SearchSettings settings;
  settings.method = search_method_named("--method", text_of(values, "method"));
  settings.starts = values["starts"].as<int>();
  if (settings.method == SearchMethod::direct && !given(values, "starts"))
    settings.starts = 1;
  settings.evaluations = values["evaluations"].as<std::size_t>();
  settings.seconds = values["time"].as<double>();
  settings.resolution = values["resolution"].as<double>();
  if (!(settings.starts >= 1 && settings.starts <= 10000))
    refuse(fmt::format("--starts must be 1..10000 (got {}).", settings.starts));
  if (settings.evaluations < 1 || settings.evaluations > 100'000'000)
    refuse(fmt::format("--evaluations must be 1..1e8 (got {}).", settings.evaluations));
  if (!(settings.seconds >= 0 && std::isfinite(settings.seconds)))
    refuse(fmt::format("--time must be 0 or more (got {:g}).", settings.seconds));
  if (!(settings.resolution > 0 && settings.resolution < 1))
    refuse(fmt::format("--resolution must be between 0 and 1 (got {:g}).",
                       settings.resolution));
  return settings;
}

class Optimize {
 public:
  Optimize(const po::variables_map& values, const Arguments& arguments)
      : values_(values),
        deck_(text_of(values, "deck")),
        command_(arguments),
        settings_(read_settings(values)) {
    options_ = read_solver_options(values);
    options_.sweep = choice_named<SweepChoice>("--sweep", text_of(values, "sweep"));
    (void)progress_mode(text_of(values, "progress"));
    if (!can_be_read_again(deck_) && options_.threads != 1)
      wait_without_spinning(arguments.argv);
    input_ = read_deck_input(deck_, values);
    const Problem base = only_problem({}, &warnings_);
    read_variables(base);
    read_goals(base);
    refuse_idle_placement(values, base, options_);
    choose_cpu_rates(base, options_);
    settings_.side_by_side = solved_side_by_side(base, options_);
    if (can_be_read_again(deck_) && options_.threads != 1)
      wait_without_spinning(arguments.argv);
    if (!values["dry-run"].as<bool>()) read_outputs();
  }

  int run() {
    if (values_["dry-run"].as<bool>()) return dry_run();
    const Clock::time_point start = Clock::now();
    report_.result = search();
    report_.seconds = seconds_since(start);
    const std::string optimized = checked_deck();
    write(optimized);
    if (report_.result.interrupted)
      throw Error(ErrorKind::interrupted,
                  "optimize: interrupted. What it had found is written.");
    for (std::size_t g = 0; g < report_.goals.size(); ++g)
      if (!report_.is_met(g)) return exit_not_converged;
    return exit_done;
  }

 private:
  /// With these values for symbols, beside those of --set.
  Problem only_problem(const SymbolValues& symbols,
                       std::vector<std::string>* warnings = nullptr) const {
    std::vector<std::string> told_before;
    DeckInput input = input_;
    for (const auto& [name, value] : symbols) input.values[name] = value;
    std::vector<Problem> all = input.problems(warnings ? *warnings : told_before);
    if (all.size() > 1)
      refuse(
          fmt::format("optimize: {} holds {} structures (NX). Choose one with "
                      "--structure.",
                      input_.name, all.size()));
    return std::move(all.front());
  }

  SymbolValues symbols_of(std::span<const double> values) const {
    SymbolValues symbols;
    for (std::size_t v = 0; v < values.size(); ++v)
      symbols[report_.variables[v].name] = values[v];
    return symbols;
  }

  void read_variables(const Problem& base) {
    if (!values_.count("vary"))
      refuse("optimize: nothing to vary. Give --vary NAME=LOWER:UPPER.");
    std::vector<std::string> names;
    for (const std::string& word : values_["vary"].as<std::vector<std::string>>()) {
      Variable variable = variable_of(word);
      const auto own = base.symbols.find(variable.name);
      if (own == base.symbols.end())
        refuse(
            fmt::format("--vary {}: the deck has no symbol of that name (SY). Name "
                        "one that it defines.",
                        quote_text(variable.name)));
      if (std::find(names.begin(), names.end(), variable.name) != names.end())
        refuse(fmt::format("--vary {} is given twice. Leave one out.", variable.name));
      if (input_.values.contains(variable.name))
        refuse(fmt::format("--vary {0} contradicts --set {0}. Leave one out.",
                           variable.name));
      if (own->second >= variable.lower && own->second <= variable.upper)
        variable.start = own->second;
      names.push_back(variable.name);
      report_.variables.push_back(std::move(variable));
    }
  }

  void read_goals(const Problem& base) {
    if (!values_.count("goal"))
      refuse("optimize: no goal. Give --goal \"vswr(144:146) < 1.5\", for example.");
    report_.deck_name = input_.name;
    report_.deck_text = input_.text;
    report_.reference_ohm = values_.count("z0")
                                ? values_["z0"].as<double>()
                                : base.reference_ohm.value_or(options_.reference_ohm);
    if (!(report_.reference_ohm > 0 && std::isfinite(report_.reference_ohm)))
      refuse(fmt::format("--z0 must be a positive number of ohm (got {:g}).",
                         report_.reference_ohm));
    std::vector<Goal> goals;
    for (const std::string& text : values_["goal"].as<std::vector<std::string>>())
      goals.push_back(goal_of(text));
    const bool deck_frequencies =
        std::any_of(goals.begin(), goals.end(),
                    [](const Goal& goal) { return goal.frequency_hz.empty(); });
    goals_.emplace(std::move(goals), base, report_.reference_ohm);
    report_.goals = goals_->goals();
    if (deck_frequencies) check_frequencies(base);
  }

  /// Goals take the deck's own frequencies: these must be the same in all variants.
  void check_frequencies(const Problem& base) const {
    for (const Variable& variable : report_.variables)
      for (const double value : {variable.lower, variable.upper}) {
        std::optional<Problem> changed;
        try {
          changed = only_problem({{variable.name, value}});
        } catch (const Error&) {
          continue;  // a variant that is found out on the way
        }
        for (std::size_t r = 0; r < std::min(base.runs.size(), changed->runs.size()); ++r)
          if (base.runs[r].frequency_hz != changed->runs[r].frequency_hz)
            refuse(
                fmt::format("--vary {}: the deck's frequencies (FR) depend on it. "
                            "Give the goals' frequencies.",
                            variable.name));
      }
  }

  ProblemAt problem_at() const {
    return [this](std::span<const double> values, bool slopes) {
      const SymbolValues symbols = symbols_of(values);
      std::vector<Problem> problem(1);
      problem[0] = only_problem(symbols);
      if (!slopes) return std::move(problem[0]);
      std::vector<std::string> names;
      for (const Variable& variable : report_.variables) names.push_back(variable.name);
      add_parameters(problem, names, [&](const SymbolValues& beside) {
        SymbolValues all = symbols;
        for (const auto& [name, value] : beside) all[name] = value;
        std::vector<Problem> varied(1);
        varied[0] = only_problem(all);
        return varied;
      });
      return std::move(problem[0]);
    };
  }

  int dry_run() const {
    std::vector<double> start;
    for (const Variable& variable : report_.variables) start.push_back(variable.start);
    const Clock::time_point begin = Clock::now();
    const Solution solution = solve(goals_->asked(problem_at()(start, false)), options_);
    const double each = seconds_since(begin);
    const int teams =
        settings_.side_by_side ? std::min(thread_count(options_), settings_.starts) : 1;
    fmt::print(
        "{} unknowns, {} frequencies, {:.3g} s an evaluation: at most {} "
        "evaluations, {} at once, about {:.3g} s\n",
        solution.unknowns, goals_->frequency_hz().size(), each, settings_.evaluations,
        teams, each * static_cast<double>(settings_.evaluations) / teams);
    return exit_done;
  }

  Optimization search() {
    guard_.emplace(outputs(), OnInterrupt::keep);
    ProgressLine progress(values_["quiet"].as<bool>()
                              ? ProgressMode::none
                              : progress_mode(text_of(values_, "progress")));
    Options options = options_;
    options.monitor = Monitor([&progress](const Progress& p) { progress.show(p); },
                              InterruptGuard::stop());
    Optimization result =
        optimize(report_.variables, *goals_, problem_at(), settings_, options);
    progress.clear();
    return result;
  }

  /// The deck with the best values, solved again to see that it gives what was found.
  std::string checked_deck() const {
    SymbolValues symbols = input_.values;
    for (const auto& [name, value] : symbols_of(report_.best().variables))
      symbols[name] = value;
    DeckInput written = input_;
    written.values.clear();
    written.text = deck_with_values(input_.text, input_.name, symbols);
    std::vector<std::string> told_before;
    const Solution solution =
        solve(goals_->asked(std::move(written.problems(told_before).front())), options_);
    const GoalTerms terms = goals_->terms(solution);
    for (std::size_t g = 0; g < terms.size(); ++g) {
      const double found = report_.best().goals[g],
                   again = value_of(report_.goals[g], terms[g]);
      if (!(std::abs(again - found) <= 1e-6 * std::max(1.0, std::abs(found))))
        throw Error(
            ErrorKind::numeric,
            fmt::format("optimize: the deck with the best values gives {:.9g} for "
                        "'{}', the search {:.9g}. Please report this.",
                        again, report_.goals[g].text, found));
    }
    return fmt::format("CM {} optimize from {}\n{}", text_signature, input_.name,
                       written.text);
  }

  std::vector<fs::path> outputs() const {
    std::vector<fs::path> all;
    for (const fs::path& path : {output_deck_, hdf5_, plot_})
      if (!path.empty()) all.push_back(path);
    return all;
  }

  void read_outputs() {
    const std::string stem = deck_name(deck_).stem().string();
    const auto path_of = [&](const char* option, const std::string& usual) -> fs::path {
      const std::string path = given(values_, option) ? text_of(values_, option) : usual;
      return path == "none" ? "" : path;
    };
    output_deck_ = path_of("output-deck", stem + "-optimized.nec");
    hdf5_ = path_of("output", stem + "-optimize.h5");
    plot_ = path_of("plot", "");
    const std::vector<fs::path> all = outputs();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is_stdout(all[i]))
        refuse("optimize: standard output holds the table. Name a file.");
      for (std::size_t j = 0; j < i; ++j)
        if (fs::absolute(all[i]).lexically_normal() ==
            fs::absolute(all[j]).lexically_normal())
          refuse(
              fmt::format("optimize: {} is named for two outputs. Choose another name "
                          "for one of them.",
                          all[i].string()));
      check_writable(all[i],
                     values_["force"].as<bool>() ? Overwrite::any : Overwrite::own,
                     deck_name(deck_));
    }
  }

  void write(const std::string& optimized) const {
    if (!output_deck_.empty()) write_result_file(output_deck_, optimized);
    if (!hdf5_.empty()) write_optimization_hdf5(hdf5_, report_, command_.command_line);
    if (!plot_.empty()) write_result_file(plot_, optimization_plot(report_));
    if (!values_["quiet"].as<bool>()) {
      const Optimization& result = report_.result;
      for (const std::string& warning : warnings_)
        fmt::print(stderr, "warning: {}\n", warning);
      if (result.failed > 0)
        fmt::print(stderr, "warning: {} variants could not be solved. The first: {}\n",
                   result.failed, result.first_failure);
      fmt::print(stderr, "{} evaluations in {:.1f} s by {}, slopes {}: {}\n",
                 result.evaluations.size(), report_.seconds, name_of(result.method),
                 result.exact_slopes ? "exact" : "none or by differences", result.ended);
      for (const fs::path& path : outputs())
        fmt::print(stderr, "wrote {}\n", path.string());
    }
    fmt::print("{}", values_["json"].as<bool>() ? optimization_json(report_)
                                                : optimization_table(report_));
  }

  const po::variables_map& values_;
  fs::path deck_, output_deck_, hdf5_, plot_;
  const Arguments& command_;
  SearchSettings settings_;
  Options options_;
  DeckInput input_;
  std::vector<std::string> warnings_;
  std::optional<GoalSet> goals_;
  OptimizationReport report_;
  std::optional<InterruptGuard> guard_;
};

}  // namespace

int run_optimize(const Arguments& arguments) {
  const po::variables_map values =
      parse("optimize", arguments.words, optimize_options(), "deck");
  if (values["help"].as<bool>()) {
    std::ostringstream page;
    page << optimize_options();
    fmt::print(
        "thinwire optimize DECK --vary NAME=LOWER:UPPER --goal GOAL [options]\n\n{}",
        page.str());
    return exit_done;
  }
  if (text_of(values, "deck").empty())
    throw Error(ErrorKind::usage,
                "optimize: no deck given. Run `thinwire help optimize`.");
  return Optimize(values, arguments).run();
}

}  // namespace thinwire::cli
