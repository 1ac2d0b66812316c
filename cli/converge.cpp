#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "bench/converge.h"
#include "cli/command.h"
#include "cli/deck_input.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/journal_store.h"
#include "cli/machine.h"
#include "cli/open_journal.h"
#include "cli/openmp_wait.h"
#include "cli/option_effects.h"
#include "cli/parse.h"
#include "cli/progress_line.h"
#include "cli/report_files.h"
#include "cli/tell.h"
#include "cli/tuning_cache.h"
#include "kernels/base/error.h"
#include "mom/problem/stored_matrix.h"
#include "mom/warnings/model_warnings.h"

namespace thinwire::cli {
namespace po = boost::program_options;

namespace {

/// True if the study itself chooses this option.
bool is_of_meshes(const po::option_description& option) {
  return option.long_name() == "mesh" || option.long_name() == "refine";
}

}  // namespace

po::options_description converge_options() {
  po::options_description options;
  options.add_options()  //
      ("deck", po::value<std::string>()->value_name("DECK"),
       "NEC deck, or - for standard input")  //
      ("max-seconds", po::value<double>()->default_value(60)->value_name("S"),
       "leave out meshes that take longer, in seconds")  //
      ("reference", po::value<int>()->default_value(0)->value_name("N"),
       "also solve a graded mesh 8, 16 or 32 times as fine, to compare with the error "
       "bar (default 0: none)")                                                     //
      ("json", po::bool_switch(), "print one JSON document instead of the tables")  //
      ("resume", po::bool_switch(), "resume an interrupted study from its journal");
  add_report_options(options, "plot", "distance from the limit over unknowns, as a page");
  options.add(deck_options());
  const po::options_description solver = solver_options();
  for (const auto& option : solver.options())
    if (!is_of_meshes(*option)) options.add(option);
  return options;
}

namespace {

/// Adds the options that are refused (option_effects.cpp), for parsing.
po::options_description all_options() {
  po::options_description options = converge_options();
  const po::options_description solver = solver_options();
  for (const auto& option : solver.options())
    if (is_of_meshes(*option)) options.add(option);
  return options;
}

ConvergeOptions read_converge_options(const po::variables_map& values,
                                      std::vector<std::string>& warnings) {
  ConvergeOptions options;
  options.solve = read_solver_options(values, warnings);
  options.max_seconds = values["max-seconds"].as<double>();
  if (!(options.max_seconds > 0))
    throw Error(ErrorKind::usage, fmt::format("--max-seconds must be positive (got {}).",
                                              options.max_seconds));
  options.reference = values["reference"].as<int>();
  if (options.reference != 0 && options.reference != 8 && options.reference != 16 &&
      options.reference != 32)
    throw Error(ErrorKind::usage, fmt::format("--reference must be 0, 8, 16 or 32 (got "
                                              "{}).",
                                              options.reference));
  return options;
}

/// The settings that all of its solves have in common.
Settings common_settings(const ConvergeReport& report) {
  std::optional<Settings> common;
  for (const MeshStudy& mesh : report.meshes) {
    if (mesh.left_out || mesh.finer_integrals) continue;
    const Settings here = settings_of(mesh.device, mesh.solver, mesh.operator_name);
    if (!common) common = here;
    std::erase_if(*common, [&](const auto& setting) { return !here.contains(setting); });
  }
  return common.value_or(Settings());
}

/// "Z = 85.01 + 49.39j ohm, within 0.02 ohm (0.02 %)", a line a port; the greatest gain;
/// what costs most.
std::vector<std::string> findings(const ConvergeReport& report) {
  std::vector<std::string> lines;
  for (const PortLimit& port : report.ports)
    lines.push_back(
        std::isfinite(port.bar_ohm)
            ? fmt::format(
                  "{} at {:.6g} MHz: Z = {:.6g} {} {:.6g}j ohm, within {:.2g} ohm "
                  "({:.2g} %)",
                  place_name(port.tag, port.segment, port.gap),
                  report.frequency_hz * 1e-6, port.impedance_ohm.real(),
                  port.impedance_ohm.imag() < 0 ? '-' : '+',
                  std::abs(port.impedance_ohm.imag()), port.bar_ohm,
                  100 * port.bar_ohm / std::abs(port.impedance_ohm))
            : fmt::format("{}: one mesh alone gives no error bar. Give more time with "
                          "--max-seconds.",
                          place_name(port.tag, port.segment, port.gap)));
  if (std::isfinite(report.gain_dbi))
    lines.push_back(fmt::format("greatest gain {:.4g} dBi, within {:.2g} dB",
                                report.gain_dbi, report.gain_bar_db));
  if (!report.costs.empty())
    lines.push_back(fmt::format("costs most: the {}, {:.0f} % of what graded x2 changes",
                                report.costs.front().place,
                                100 * report.costs.front().share));
  return lines;
}

/// As converge(). The error of an interrupt states what is kept.
ConvergeReport study(const Problem& problem, const ConvergeOptions& options,
                     const std::optional<JournalStore>& kept) {
  try {
    return converge(problem, options);
  } catch (const Error& error) {
    const std::string what = kept ? kept->what_is_kept()
                                  : " Nothing was kept: give --output, and a journal "
                                    "beside it allows --resume.";
    if (error.kind() != ErrorKind::interrupted || what.empty()) throw;
    throw Error(ErrorKind::interrupted, "interrupted." + what);
  }
}

int study_deck(const po::variables_map& values, const Arguments& arguments) {
  const bool quiet = values["quiet"].as<bool>(), json = values["json"].as<bool>();
  std::vector<std::string> warnings;
  ConvergeOptions options = read_converge_options(values, warnings);
  const std::filesystem::path deck = text_of(values, "deck");
  const ReportFiles files = read_report_files("converge", values, "plot", {deck});
  if (json && files.take_stdout())
    throw Error(
        ErrorKind::usage,
        "converge: --json contradicts an output to -: both write to standard output. "
        "Name a file for one of them.");
  restart_before_reading(deck, options.solve.threads, arguments.argv);
  const std::vector<Problem> structures =
      read_problems(read_deck_input(deck, values), warnings,
                    quiet ? ProgressMode::none : ProgressMode::automatic);
  if (structures.size() > 1)
    throw Error(ErrorKind::usage,
                fmt::format("converge: {} holds {} structures (NX). Choose one with "
                            "--structure.",
                            structures[0].name, structures.size()));
  const Problem& problem = structures.front();
  if (problem.stored)
    throw Error(
        ErrorKind::usage,
        fmt::format("converge: {} takes the matrix of one mesh from {} (GF). Give "
                    "the whole structure in one deck.",
                    problem.name, problem.stored->name));
  std::unique_ptr<Planner> planner =
      choose_threads(problem, options.solve, arguments.argv);
  const InterruptGuard guard(files.all(), OnInterrupt::end);
  ProgressLine progress(quiet ? ProgressMode::none : ProgressMode::automatic);
  const Monitor all = progress.monitor().part(read_share, 1);
  options.solve.monitor = all.part(0, check_share);
  if (!planner) planner = std::make_unique<Planner>(problem, options.solve);
  choose_cpu_rates(*planner, options.solve, warnings);
  planner.reset();  // each of the meshes to come has its own
  std::optional<JournalStore> kept;
  if (const auto path = journal_path("converge", files.all(), values); !path.empty())
    kept.emplace("converge", path, problem, values["resume"].as<bool>(), values);
  options.store = kept ? &*kept : nullptr;
  const auto add = [&warnings](std::vector<std::string> more) {
    std::ranges::move(more, std::back_inserter(warnings));
  };
  add(model_warnings(problem, options.solve));
  options.solve.monitor = all.part(check_share, 1);
  const ConvergeReport report = study(problem, options, kept);
  progress.clear();
  add(report.warnings());
  add(idle_option_warnings(values, common_settings(report)));

  const ReportContents contents = {"converge",
                                   "Convergence of " + problem.name,
                                   converge_tables(report),
                                   machine_header({{"deck", problem.name}}),
                                   converge_plots(report),
                                   findings(report)};
  const Delivery delivery = write_report_files(files, contents, arguments.command_line);
  if (!quiet) {
    for (const std::string& warning : warnings) tell("warning: {}\n", warning);
    delivery.print_written();
  }
  if (json) {
    fmt::print("{}", converge_json(problem, report, warnings));
  } else if (!files.take_stdout()) {
    for (const Table& table : contents.tables) fmt::print("{}\n", table_text(table));
    for (const std::string& finding : contents.findings) fmt::print("{}\n", finding);
  }
  delivery.raise(kept ? kept->what_is_kept() : "");
  if (kept) kept->end();
  return exit_done;
}

}  // namespace

int run_converge(const Arguments& arguments) {
  const po::variables_map values =
      parse("converge", arguments.words, all_options(), "deck");
  if (text_of(values, "deck").empty())
    throw Error(ErrorKind::usage,
                "converge: no deck given. Run `thinwire help converge`.");
  return study_deck(values, arguments);
}

}  // namespace thinwire::cli
