#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include "bench/study_page.h"
#include "cli/command.h"
#include "cli/deck_input.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/journal_store.h"
#include "cli/open_journal.h"
#include "cli/openmp_wait.h"
#include "cli/optimize_settings.h"
#include "cli/option_effects.h"
#include "cli/outputs.h"
#include "cli/parse.h"
#include "cli/progress_line.h"
#include "cli/report_files.h"
#include "cli/tell.h"
#include "cli/tuning_cache.h"
#include "io/deck/card.h"
#include "io/deck/parameters.h"
#include "io/deck/variation.h"
#include "io/deck/with_values.h"
#include "io/result/output_file.h"
#include "io/result/write_optimization.h"
#include "kernels/base/counted.h"
#include "kernels/base/printable.h"
#include "kernels/base/stopwatch.h"
#include "mom/plan/planner.h"
#include "mom/solve.h"
#include "mom/warnings/model_warnings.h"

namespace thinwire::cli {
namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

using Clock = std::chrono::steady_clock;

/// Smallest relative change of a symbol that a deck must tolerate.
constexpr double min_change = 1e-5;

/// NAME=LOWER:UPPER, with blanks around NAME perhaps.
Variable read_variable(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == word.npos) return variable_of(word);
  return variable_of(
      fmt::format("{}{}", trimmed(word.substr(0, equals)), word.substr(equals)));
}

/// The value in few decimals: within 1e-9 of itself and of the distance of its bounds.
double shortened(double value, const Variable& variable) {
  const double scale = std::min(variable.upper - variable.lower, std::abs(value));
  if (!(scale > 0)) return value;
  const int decimals = std::max(0, 10 - static_cast<int>(std::ceil(std::log10(scale))));
  return std::clamp(std::stod(fmt::format("{:.{}f}", value, decimals)), variable.lower,
                    variable.upper);
}

/// As the text's first line ends.
std::string_view line_end_of(std::string_view text) {
  const std::size_t end = text.find_first_of("\r\n");
  if (end == text.npos || text[end] == '\n') return "\n";
  return text.substr(end, 2) == "\r\n" ? "\r\n" : "\r";
}

class Optimize {
 public:
  Optimize(const po::variables_map& values, const Arguments& arguments)
      : values_(values),
        deck_(text_of(values, "deck")),
        command_(arguments),
        settings_(read_search_settings(values)) {
    options_ = read_solver_options(values, report_.warnings);
    options_.sweep = choice_named<SweepChoice>("--sweep", text_of(values, "sweep"));
    (void)progress_mode(text_of(values, "progress"));
    restart_before_reading(deck_, options_.threads, arguments.argv);
    input_ = read_deck_input(deck_, values);
    const Problem base = only_problem({}, &report_.warnings);
    read_variables(base);
    read_goals(base);
    Planner planner(base, options_);
    choose_cpu_rates(planner, options_, report_.warnings);
    settings_.side_by_side = planner.solved_side_by_side(options_);
    const Problem asked = goals_->asked(base);
    choose_generation(report_.variables.size(), asked, options_, settings_);
    if (options_.threads != 1) wait_without_spinning(arguments.argv);
    for (const std::string& warning : idle_option_warnings(values, planner, options_))
      warn(warning);
    if (values["dry-run"].as<bool>()) return;
    read_outputs();
    if (!outputs().empty()) return;
    for (const std::string& warning : idle_option_warnings(values, {"no-files"}))
      warn(warning);
  }

  int run() {
    if (values_["dry-run"].as<bool>()) return dry_run();
    const Clock::time_point start = Clock::now();
    report_.result = search();
    report_.seconds = seconds_since(start);
    write();
    if (report_.result.interrupted)
      throw Error(ErrorKind::interrupted,
                  "optimize: interrupted. The best values so far are written." +
                      (kept_ ? kept_->what_is_kept() : ""));
    if (kept_) kept_->end();
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
      refuse_usage(
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
      refuse_usage("optimize: nothing to vary. Give --vary NAME=LOWER:UPPER.");
    std::vector<std::string> names;
    for (const std::string& word : values_["vary"].as<std::vector<std::string>>()) {
      Variable variable = read_variable(word);
      const auto own = base.symbols.find(variable.name);
      if (own == base.symbols.end())
        refuse_usage(
            fmt::format("--vary {}: the deck has no symbol of that name (SY). Name "
                        "one that it defines.",
                        quote_text(variable.name)));
      if (std::find(names.begin(), names.end(), variable.name) != names.end())
        refuse_usage(
            fmt::format("--vary {} is given twice. Leave one out.", variable.name));
      if (input_.values.contains(variable.name))
        refuse_usage(fmt::format("--vary {0} contradicts --set {0}. Leave one out.",
                                 variable.name));
      if (own->second >= variable.lower && own->second <= variable.upper)
        variable.start = own->second;
      else
        report_.warnings.push_back(fmt::format(
            "--vary {}: the deck's value {:.6g} is not in {:.6g}:{:.6g}. Bounds need the "
            "unit that the deck has (145in:152in).",
            variable.name, own->second, variable.lower, variable.upper));
      refuse_count(variable.name, own->second);
      names.push_back(variable.name);
      report_.variables.push_back(std::move(variable));
    }
  }

  /// A search moves by fractions: what the deck cannot be read with beside the symbol's
  /// own value cannot be searched.
  void refuse_count(const std::string& name, double own) const {
    const double step = own == 0 ? min_change : min_change * std::abs(own);
    try {
      (void)only_problem({{name, own - step}});
    } catch (const Error&) {
      try {
        (void)only_problem({{name, own + step}});
      } catch (const Error& error) {
        std::string_view why = error.what();
        why = why.substr(0, why.find('\n'));
        if (why.ends_with('.')) why.remove_suffix(1);
        refuse_usage(fmt::format(
            "--vary {}: it changes a count or something else that is not continuous "
            "({}). Vary lengths and radii, and set counts with --set.",
            name, why));
      }
    }
  }

  void read_goals(const Problem& base) {
    if (!values_.count("goal"))
      refuse_usage(
          "optimize: no goal. Give --goal \"vswr(144:146) < 1.5\", for example.");
    report_.deck_name = input_.name;
    report_.deck_text = input_.text;
    report_.deck_dialect = base.deck_dialect;
    report_.deck_patches = base.deck_patches;
    report_.reference_ohm = values_.count("z0")
                                ? values_["z0"].as<double>()
                                : base.reference_ohm.value_or(options_.reference_ohm);
    if (!(report_.reference_ohm > 0 && std::isfinite(report_.reference_ohm)))
      refuse_usage(fmt::format("--z0 must be a positive number of ohm (got {:g}).",
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
            refuse_usage(
                fmt::format("--vary {}: the deck's frequencies (FR) depend on it. Give "
                            "frequencies in the goals.",
                            variable.name));
      }
  }

  ProblemAt problem_at() const {
    return [this](std::span<const double> values, bool derivatives) {
      const SymbolValues symbols = symbols_of(values);
      std::vector<Problem> problem(1);
      problem[0] = only_problem(symbols);
      if (!derivatives) return std::move(problem[0]);
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

  int dry_run() {
    std::vector<double> start;
    for (const Variable& variable : report_.variables) start.push_back(variable.start);
    OptimizationPlan plan;
    plan.frequencies = goals_->frequency_hz().size();
    plan.evaluations = settings_.evaluations;
    plan.seconds_limit = settings_.seconds;
    Options options = options_;
    if (settings_.side_by_side) {
      plan.side_by_side = std::min(thread_count(options_),
                                   solved_at_once(settings_, report_.variables.size()));
      options.threads = 1;
    }
    const auto measure = [&](bool derivatives) {
      const Clock::time_point begin = Clock::now();
      plan.unknowns = solve(goals_->asked(problem_at()(start, derivatives)), options,
                            GainDerivativesOf::gain)
                          .unknowns;
      plan.seconds_each = seconds_since(begin);
      plan.derivatives = derivatives;
    };
    const bool takes_derivatives = settings_.method == SearchMethod::automatic ||
                                   settings_.method == SearchMethod::slsqp;
    try {
      measure(takes_derivatives && goals_->have_derivatives());
    } catch (const Error& error) {
      // There are no derivatives of what the deck holds.
      if (error.kind() != ErrorKind::usage) throw;
      measure(false);
    }
    tell_warnings();
    fmt::print("{}", values_["json"].as<bool>() ? plan_json(plan) : plan_table(plan));
    return exit_done;
  }

  Optimization search() {
    guard_.emplace(outputs(), OnInterrupt::keep);
    ProgressLine progress(values_["quiet"].as<bool>()
                              ? ProgressMode::none
                              : progress_mode(text_of(values_, "progress")));
    Options options = options_;
    options.monitor = progress.monitor();
    const fs::path all[] = {hdf5_, output_deck_, page_};
    if (const fs::path path = journal_path("optimize", all, values_); !path.empty())
      kept_.emplace("optimize", path, only_problem({}), values_["resume"].as<bool>(),
                    values_);
    settings_.store = kept_ ? &*kept_ : nullptr;
    tell_warnings();
    Optimization result =
        optimize(report_.variables, *goals_, problem_at(), settings_, options);
    progress.clear();
    return result;
  }

  /// The deck with the best values, solved again to see that it gives what was found.
  std::string checked_deck() {
    SymbolValues symbols = input_.values;
    for (std::size_t v = 0; v < report_.variables.size(); ++v)
      symbols[report_.variables[v].name] =
          shortened(report_.best().variables[v], report_.variables[v]);
    DeckInput written = input_;
    written.values.clear();
    written.text = deck_with_values(input_.text, input_.name, symbols, written.structure);
    std::vector<std::string> told;
    const Problem best = goals_->asked(std::move(written.problems(told).front()));
    for (std::string& warning : model_warnings(best, options_))
      told.push_back(std::move(warning));
    const Solution solution = solve(best, options_);
    told.insert(told.end(), solution.warnings.begin(), solution.warnings.end());
    for (const std::string& warning : told) warn(warning);
    const GoalTerms terms = goals_->terms(solution);
    for (std::size_t g = 0; g < terms.size(); ++g) {
      const double found = report_.best().goals[g],
                   again = value_of(report_.goals[g], terms[g]);
      // Frequencies may miss an `equal` alike, one above and one below.
      const Goal& goal = report_.goals[g];
      const auto compared = [&goal](double value) {
        return goal.aim == Goal::Aim::equal ? std::abs(value - goal.bound) : value;
      };
      if (!(std::abs(compared(again) - compared(found)) <=
            1e-6 * std::max(1.0, std::abs(found))))
        throw Error(
            ErrorKind::numeric,
            fmt::format("optimize: the deck with the best values gives {:.9g} for "
                        "'{}', the search {:.9g}. Please report this.",
                        again, report_.goals[g].text, found));
    }
    for (const std::string& warning : search_warnings(report_, options_)) warn(warning);
    std::string reading = reading_options(input_.reading);
    if (!input_.frequency_hz.empty()) {
      const std::string frequencies =
          "--frequency " + printable(text_of(values_, "frequency"));
      reading += " " + frequencies;
      if (!output_deck_.empty())
        warn(fmt::format("{}: FR cards stay as they are: solve it with {}",
                         shown(output_deck_), frequencies));
    }
    return fmt::format("CM {} optimize from {}{}{}{}", text_signature, input_.name,
                       reading, line_end_of(written.text), written.text);
  }

  void warn(const std::string& text) {
    std::vector<std::string>& all = report_.warnings;
    if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
  }

  /// Prints the warnings that were not printed yet.
  void tell_warnings() {
    for (; !values_["quiet"].as<bool>() && told_ < report_.warnings.size(); ++told_)
      tell("warning: {}\n", report_.warnings[told_]);
  }

  std::vector<fs::path> outputs() const {
    std::vector<fs::path> all;
    for (const fs::path& path : {output_deck_, hdf5_, page_})
      if (!path.empty()) all.push_back(path);
    return all;
  }

  void read_outputs() {
    const std::string stem = deck_name(deck_).stem().string();
    output_deck_ =
        output_path("optimize", values_, "output-deck", stem + "-optimized.nec");
    hdf5_ = output_path("optimize", values_, "output", stem + "-optimize.h5");
    page_ = page_path("optimize", values_, "plot");
    for (const fs::path& path : outputs())
      if (is_stdout(path))
        refuse_usage("optimize: standard output holds the table. Name a file.");
    const Overwrite overwrite = overwrite_of(values_);
    const PlannedOutput planned[] = {
        {output_deck_, std::string(file_kind::deck), overwrite, true},
        {hdf5_, std::string(file_kind::optimization), overwrite, true},
        {page_, std::string(file_kind::page), overwrite, true}};
    check_outputs("optimize", planned, input_.files({}));
  }

  void write() {
    Delivery delivery;
    std::string optimized;
    if (delivery.take([&] { optimized = checked_deck(); }))
      delivery.write(output_deck_, [&] { write_result_file(output_deck_, optimized); });
    delivery.write(
        hdf5_, [&] { write_optimization_hdf5(hdf5_, report_, command_.command_line); });
    delivery.write(page_, [&] {
      write_result_file(page_, optimization_page(report_, command_.command_line));
    });
    tell_warnings();
    if (!values_["quiet"].as<bool>()) {
      const Optimization& result = report_.result;
      tell("{} in {:.1f} s by {}, derivatives {}: {}\n",
           counted(result.evaluations.size(), "evaluation"), report_.seconds,
           name_of(result.method),
           result.exact_derivatives ? "exact" : "none or by differences", result.ended);
      delivery.print_written();
    }
    fmt::print("{}", values_["json"].as<bool>() ? optimization_json(report_)
                                                : optimization_table(report_));
    delivery.raise(kept_ ? kept_->what_is_kept() : "");
  }

  const po::variables_map& values_;
  std::size_t told_ = 0;  ///< warnings that were printed
  fs::path deck_, output_deck_, hdf5_, page_;
  const Arguments& command_;
  SearchSettings settings_;
  Options options_;
  DeckInput input_;
  std::optional<GoalSet> goals_;
  OptimizationReport report_;
  std::optional<InterruptGuard> guard_;
  std::optional<JournalStore> kept_;
};

}  // namespace

int run_optimize(const Arguments& arguments) {
  const po::variables_map values =
      parse("optimize", arguments.words, optimize_options(), "deck");
  if (text_of(values, "deck").empty())
    throw Error(ErrorKind::usage,
                "optimize: no deck given. Run `thinwire help optimize`.");
  return Optimize(values, arguments).run();
}

}  // namespace thinwire::cli
