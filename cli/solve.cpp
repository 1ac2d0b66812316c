#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <optional>
#include <tuple>

#include "cli/command.h"
#include "cli/deck_input.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/machine.h"
#include "cli/openmp_wait.h"
#include "cli/option_effects.h"
#include "cli/outputs.h"
#include "cli/parse.h"
#include "cli/processes.h"
#include "cli/progress_line.h"
#include "cli/result_table.h"
#include "cli/resumable_solve.h"
#include "cli/split.h"
#include "cli/tell.h"
#include "cli/tuning_cache.h"
#include "io/deck/parameters.h"
#include "io/result/matrix_file.h"
#include "io/result/output_file.h"
#include "io/result/saved_matrix.h"
#include "io/result/write_csv.h"
#include "io/result/write_hdf5.h"
#include "io/result/write_json.h"
#include "io/result/write_listing.h"
#include "io/result/write_touchstone.h"
#include "kernels/base/openmp_threads.h"
#include "kernels/base/started.h"
#include "kernels/base/stopwatch.h"
#include "mom/plan/planner.h"
#include "mom/schedule/adaptive_sweep.h"
#include "mom/schedule/frequency_queue.h"
#include "mom/solve.h"
#include "mom/warnings/model_warnings.h"

namespace thinwire::cli {
namespace fs = std::filesystem;
namespace po = boost::program_options;

po::options_description solve_options() {
  po::options_description options;
  options.add_options()  //
      ("deck", po::value<std::string>()->value_name("DECK"),
       "NEC deck, or - for standard input")  //
      ("output,o", file_name(),
       "HDF5 result, or none (default: DECK.h5 in this folder)")  //
      ("sweep", choice("full|fast"),
       "solve all frequencies, or about 20 and model the others")  //
      ("csv", file_name(), "impedance and gain table")             //
      ("touchstone", file_name(), "S-parameters (Touchstone)")     //
      ("pattern", new OptionalWord("STEP", "5"),
       "pattern in all directions, every STEP degrees (default: 5)")  //
      ("z0", po::value<double>()->value_name("OHM"),
       "reference impedance of VSWR and S-parameters (default: Z0 card, or 50)")  //
      ("listing", file_name(), "listing in nec2c's format")                       //
      ("json", new OptionalWord("full", "summary"),
       "print one JSON document; full: with all arrays")  //
      ("save-matrix", po::bool_switch(),
       "store the impedance matrix in the HDF5 result")  //
      ("gradient", po::value<std::vector<std::string>>()->value_name("NAME"),
       "derivatives of impedance and gain by a symbol (SY); may be repeated")  //
      ("resume", po::bool_switch(),
       "resume an interrupted solve from its journal")  //
      ("force", po::bool_switch(),
       "overwrite files of other programs and unfinished solves")  //
      ("dry-run", po::bool_switch(),
       "predict memory and time, and stop")  //
      ("ranks", po::value<int>()->value_name("R"),
       "with --dry-run: number of MPI processes to predict for")            //
      ("progress", choice("auto|none|json"), "progress on standard error")  //
      ("quiet", po::bool_switch(), "no progress, notes or warnings");
  options.add(split_options("frequency")).add(deck_options()).add(solver_options());
  return options;
}

namespace {

using Clock = std::chrono::steady_clock;

/// Where results go; empty paths are not written.
struct Outputs {
  fs::path hdf5, csv, listing, matrix;
  std::vector<TouchstoneFile> touchstone;

  std::vector<fs::path> all() const {
    std::vector<fs::path> paths;
    for (const fs::path& path : {hdf5, csv, listing, matrix})
      if (!path.empty()) paths.push_back(path);
    for (const TouchstoneFile& file : touchstone) paths.push_back(file.path);
    return paths;
  }
  /// Then no table is printed.
  bool take_stdout() const {
    const std::vector<fs::path> paths = all();
    return std::any_of(paths.begin(), paths.end(), is_stdout);
  }
};

/// --ranks; 0: not given.
int read_ranks(const po::variables_map& values) {
  if (!values.count("ranks")) return 0;
  const int ranks = values["ranks"].as<int>();
  constexpr int most = 1 << 20;
  if (ranks < 1 || ranks > most)
    throw Error(ErrorKind::usage,
                fmt::format("--ranks must be 1 to {} (got {}).", most, ranks));
  return ranks;
}

void refuse_contradictions(const po::variables_map& values) {
  (void)read_ranks(values);
  for (const char* output : {"output", "csv", "touchstone", "listing"}) {
    (void)output_path("solve", values, output);
  }
  std::vector<std::string> on_stdout;
  for (const char* output : {"output", "csv", "touchstone", "listing"})
    if (is_stdout(text_of(values, output)))
      on_stdout.push_back(fmt::format("--{} -", output));
  if (given(values, "json")) on_stdout.push_back("--json");
  if (on_stdout.size() > 1)
    throw Error(
        ErrorKind::usage,
        fmt::format("solve: {} contradicts {}: both write to standard output. Name a "
                    "file for one of them.",
                    on_stdout[0], on_stdout[1]));
}

/// Where results of `problem`, read from `deck`, go. `number`: of the structure in its
/// deck; from the second one on it goes into the names.
Outputs read_outputs(const po::variables_map& values, const fs::path& deck,
                     const Problem& problem, std::size_t number) {
  const auto numbered = [number](fs::path path) {
    if (number > 1 && !path.empty())
      path.replace_filename(fmt::format("{}-{}{}", path.stem().string(), number,
                                        path.extension().string()));
    return path;
  };
  Outputs outputs;
  outputs.hdf5 = numbered(
      output_path("solve", values, "output", deck_name(deck).stem().string() + ".h5"));
  outputs.csv = numbered(output_path("solve", values, "csv"));
  outputs.listing = numbered(output_path("solve", values, "listing"));
  const fs::path touchstone = numbered(output_path("solve", values, "touchstone"));
  if (!touchstone.empty()) outputs.touchstone = touchstone_files(touchstone, problem);
  for (const Run& run : problem.runs)
    if (!run.matrix_file.empty()) outputs.matrix = run.matrix_file;
  return outputs;
}

/// Finds before the solve what would make a write fail after it.
void check_all_outputs(const std::vector<Outputs>& all, Overwrite overwrite,
                       const std::vector<fs::path>& inputs) {
  std::vector<PlannedOutput> planned;
  for (const Outputs& outputs : all) {
    if (processes() != nullptr && is_stdout(outputs.hdf5))
      throw Error(ErrorKind::usage,
                  "solve: --output - is for one process: mpirun forwards standard output "
                  "as text. Name a file.");
    refuse_terminal(outputs.hdf5);
    const auto plan = [&](const fs::path& path, std::string_view kind) {
      planned.push_back({path, std::string(kind), overwrite, kind == file_kind::result});
    };
    plan(outputs.hdf5, file_kind::result);
    plan(outputs.csv, file_kind::table);
    plan(outputs.listing, file_kind::listing);
    plan(outputs.matrix, file_kind::matrix);
    for (const TouchstoneFile& file : outputs.touchstone)
      plan(file.path, file_kind::touchstone);
  }
  check_outputs("solve", planned, inputs);
}

void print_notes(const std::vector<std::string>& warnings, const Solution& solution) {
  for (const std::string& warning : warnings) tell("warning: {}\n", warning);
  // How the solver was chosen matters where one waits for it.
  const bool worth_saying = solution.timings_s.total > 0.5;
  std::string last;
  for (const FrequencyResult& result : solution.frequencies) {
    const SolverReport& solver = result.solver;
    if (worth_saying && !solver.why.empty() && solver.why != last)
      tell("note: solver {}: {}\n", solver.name, solver.why);
    last = solver.why;
  }
}

/// Writes all outputs. saved: the matrix in the file already, where it is.
Delivery write_outputs(const Outputs& outputs, const Problem& problem,
                       const Options& options, const Solution& solution,
                       SavedMatrix& saved, const std::string& command_line) {
  const std::atomic<bool>* const stop = InterruptGuard::stop();
  Delivery delivery;
  delivery.write(outputs.csv, [&] {
    write_result_file(outputs.csv, solution_csv(problem, solution, options.reference_ohm),
                      stop);
  });
  for (const TouchstoneFile& file : outputs.touchstone)
    delivery.write(file.path, [&] {
      write_result_file(
          file.path,
          solution_touchstone(problem, solution, file.run, options.reference_ohm), stop);
    });
  delivery.write(outputs.listing, [&] {
    write_result_file(outputs.listing, solution_listing(problem, solution), stop);
  });
  if (solution.stored)
    delivery.write(outputs.matrix, [&] {
      write_matrix_file(outputs.matrix, problem, *solution.stored, stop);
    });
  delivery.write(outputs.hdf5, [&] {
    write_hdf5(outputs.hdf5, problem, options, solution, command_line, stop, &saved);
  });
  return delivery;
}

/// Returns the warnings of solve() that a dry run can foresee.
std::vector<std::string> foreseen_warnings(const Problem& problem, const Options& options,
                                           const Plan& plan,
                                           const po::variables_map& values) {
  std::vector<std::string> warnings;
  if (read_ranks(values) > static_cast<int>(plan.solver.ranks))
    warnings = idle_option_warnings(values, {"one-rank"});
  std::ranges::move(idle_option_warnings(values, settings_of(plan)),
                    std::back_inserter(warnings));
  if (options.sweep != SweepChoice::fast) return warnings;
  const auto& runs = problem.runs;
  const char* why = nullptr;
  if (!problem.parameters.empty() &&
      std::ranges::any_of(runs, [](const Run& run) { return !run.patterns.empty(); }))
    why = "--gradient with patterns needs all";
  else if (std::ranges::all_of(runs, [](const Run& run) {
             return run.frequency_hz.size() < AdaptiveSweep::fewest_frequencies;
           }))
    why = "a model needs more frequencies";
  if (why != nullptr)
    warnings.push_back(
        fmt::format("every frequency will be solved, not only some: {}", why));
  return warnings;
}

int dry_run(Planner& planner, Options options, std::vector<std::string> warnings,
            const po::variables_map& values, ProgressLine& progress) {
  const Problem& problem = planner.problem();
  choose_cpu_rates(planner, options, warnings);
  SavedMatrix to_file{{}};
  if (options.save_matrix) options.matrix_sink = &to_file;
  const int ranks = read_ranks(values);
  const Plan& needed =
      ranks > 0 ? planner.choose(options, equal_shares(ranks)) : planner.choose(options);
  progress.clear();
  std::ranges::move(foreseen_warnings(problem, options, needed, values),
                    std::back_inserter(warnings));
  if (!values["quiet"].as<bool>())
    for (const std::string& warning : warnings) tell("warning: {}\n", warning);
  fmt::print("{}",
             given(values, "json") ? plan_json(problem, needed) : plan_table(needed));
  if (!needed.shortage.empty()) throw Error(ErrorKind::memory, needed.shortage);
  return exit_done;
}

/// Adds a pattern in all directions, over a ground of the upper half, to every run that
/// has none like it. step_deg: divides 90.
void add_pattern(Problem& problem, double step_deg) {
  for (Run& run : problem.runs) {
    PatternRequest all;
    all.theta_step_deg = all.phi_step_deg = step_deg;
    const bool half = run.ground.kind != Ground::Kind::none;
    all.theta_count = std::llround((half ? 90 : 180) / step_deg) + 1;
    all.phi_count = std::llround(360 / step_deg) + 1;
    const auto grid_of = [](const PatternRequest& request) {
      return std::tie(request.mode, request.theta_start_deg, request.theta_step_deg,
                      request.theta_count, request.phi_start_deg, request.phi_step_deg,
                      request.phi_count, request.last_frequency_only);
    };
    if (std::ranges::none_of(run.patterns, [&](const PatternRequest& request) {
          return grid_of(request) == grid_of(all);
        }))
      run.patterns.push_back(all);
  }
}

/// Whether patterns of these runs can be drawn in three dimensions.
bool have_all_directions(const std::vector<Run>& runs) {
  return std::ranges::any_of(runs, [](const Run& run) {
    return std::ranges::any_of(run.patterns, [](const PatternRequest& request) {
      const auto span = [](double step, std::int64_t count) {
        return std::abs(step) * static_cast<double>(count - 1);
      };
      return std::min(request.theta_count, request.phi_count) >= 7 &&
             span(request.theta_step_deg, request.theta_count) > 85 &&
             span(request.phi_step_deg, request.phi_count) > 345;
    });
  });
}

/// The step of --pattern, degrees.
double read_pattern_step(const po::variables_map& values) {
  const std::string word = text_of(values, "pattern");
  const double step = std::strtod(word.c_str(), nullptr);
  const double count = std::round(90 / step);
  if (!(step >= 0.1 && step <= 15 && std::abs(count * step - 90) < 1e-9))
    throw Error(ErrorKind::usage,
                fmt::format("--pattern: the step must divide 90 degrees and be 0.1 .. 15 "
                            "(got {}).",
                            word));
  return step;
}

/// --z0, where it is given.
std::optional<double> read_reference_ohm(const po::variables_map& values) {
  if (!values.count("z0")) return std::nullopt;
  const double ohm = values["z0"].as<double>();
  if (!(ohm > 0 && std::isfinite(ohm)))
    throw Error(ErrorKind::usage,
                fmt::format("--z0 must be a positive number of ohm (got {:g}).", ohm));
  return ohm;
}

/// Standard output holds the results of one structure.
void refuse_several(const po::variables_map& values, const std::vector<Problem>& all) {
  if (all.size() < 2) return;
  bool on_stdout = given(values, "json");
  for (const char* output : {"output", "csv", "touchstone", "listing"})
    on_stdout = on_stdout || is_stdout(text_of(values, output));
  if (on_stdout)
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "solve: {} holds {} structures (NX), but standard output "
            "takes the results of one. Choose one with --structure, or name a file.",
            all.front().name, all.size()));
}

ProgressMode chosen_progress(const po::variables_map& values) {
  if (values["quiet"].as<bool>() || !is_first_process()) return ProgressMode::none;
  return values["dry-run"].as<bool>() ? ProgressMode::automatic
                                      : progress_mode(text_of(values, "progress"));
}

/// Returns the monitors of a deck's structures: parts in proportion to the entries of all
/// matrices.
std::vector<Monitor> monitors_of(const std::vector<Problem>& structures,
                                 const Monitor& whole) {
  std::vector<double> ends = {0};
  for (const Problem& problem : structures) {
    const auto segments = static_cast<double>(problem.structure.segments().size());
    const auto matrices = static_cast<double>(1 + step_count(problem));
    ends.push_back(ends.back() + matrices * segments * segments);
  }
  std::vector<Monitor> monitors;
  for (std::size_t i = 0; i < structures.size(); ++i)
    monitors.push_back(whole.part(ends[i] / ends.back(), ends[i + 1] / ends.back()));
  return monitors;
}

/// Solves one structure of a deck and writes its results; gives the exit status.
/// planner: null where it was not planned yet. monitor: shows on `progress`.
int solve_structure(const Problem& problem, std::unique_ptr<Planner> planner,
                    const Outputs& outputs, Options options,
                    std::vector<std::string> warnings, double read_s, bool resume,
                    const po::variables_map& values, const Arguments& arguments,
                    bool for_page, ProgressLine& progress, const Monitor& monitor) {
  const Clock::time_point start = Clock::now();
  const InterruptGuard guard(outputs.all(), OnInterrupt::end);
  const bool json = given(values, "json"), quiet = values["quiet"].as<bool>();
  const auto add = [&warnings](std::vector<std::string> more) {
    std::ranges::move(more, std::back_inserter(warnings));
  };
  const bool dry = values["dry-run"].as<bool>();
  options.monitor = monitor.part(0, check_share);
  // Beside the solve, where they take long: on one thread, which the solve hardly misses.
  constexpr std::size_t many_segments = 20'000;
  Options silent = options;
  silent.monitor = options.monitor.silent();
  std::future<std::vector<std::string>> model;
  if (!dry && problem.structure.segments().size() > many_segments) {
    silent.threads = 1;
    model = started([&problem, silent] { return model_warnings(problem, silent); });
  } else {
    add(model_warnings(problem, options));
  }
  options.monitor = monitor.part(check_share, 1);
  if (dry && !is_first_process()) return exit_done;
  if (!dry) assign_threads(options);
  if (!planner) planner = std::make_unique<Planner>(problem, options);
  if (dry) return dry_run(*planner, options, std::move(warnings), values, progress);
  if (std::ranges::all_of(outputs.all(), is_stdout))
    add(idle_option_warnings(values, {"no-files"}));

  SavedMatrix saved(outputs.hdf5, processes());
  // The parts that precede the matrix in the file are made last: for a pipe it waits in
  // memory. Other processes may see another file of that name, or none.
  std::string way = is_written_directly(outputs.hdf5) ? "direct" : "by parts";
  broadcast(way);
  if (options.save_matrix && way == "by parts") options.matrix_sink = &saved;
  if (is_first_process()) choose_cpu_rates(*planner, options, warnings);
  broadcast(options.cpu_rates);
  assign_device(*planner, options);
  if (options.device.kind != DeviceRequest::Kind::cpu)
    options.symv = symv_setting(stored_tuning(options.device.index, warnings));
  ResumableSolve work(*planner, options, outputs.hdf5, resume, values);
  Solution solution = work.run();
  progress.clear();
  if (!is_first_process()) return exit_done;

  if (model.valid()) try {
      add(model.get());
    } catch (const Error& error) {  // the result is not lost for it
      add({fmt::format("the model was not checked: {}", error.what())});
    }
  add(idle_option_warnings(values, settings_of(solution)));
  add(std::move(solution.warnings));
  solution.warnings = std::move(warnings);
  solution.timings_s.read = read_s;
  solution.timings_s.total = read_s + seconds_since(start);
  const Clock::time_point write_start = Clock::now();
  const Delivery delivery =
      write_outputs(outputs, problem, options, solution, saved, arguments.command_line);
  if (delivery.succeeded()) work.end();
  solution.timings_s.write += seconds_since(write_start);
  solution.timings_s.total = read_s + seconds_since(start);

  if (!quiet) {
    print_notes(solution.warnings, solution);
    delivery.print_written();
  }
  if (!outputs.take_stdout() && !for_page)
    fmt::print("{}", json ? solution_json(problem, solution, options.reference_ohm,
                                          text_of(values, "json") == "full")
                          : result_table(problem, solution, options.reference_ohm));
  delivery.raise(work.what_is_kept());
  return exit_code(solution);
}

/// page: gets the files with the results, which are to have a pattern in all directions
/// each, and no table is printed.
int solve_deck(const po::variables_map& values, const Arguments& arguments,
               std::vector<fs::path>* page = nullptr) {
  const Clock::time_point start = Clock::now();
  const fs::path deck = text_of(values, "deck");
  std::vector<std::string> warnings;
  Options options = read_solver_options(values, warnings);
  const std::optional<double> reference_given = read_reference_ohm(values);
  options.sweep = choice_named<SweepChoice>("--sweep", text_of(values, "sweep"));
  options.save_matrix = values["save-matrix"].as<bool>();
  std::optional<double> pattern_step_deg;
  if (given(values, "pattern")) pattern_step_deg = read_pattern_step(values);
  options.port_matrix = !output_path("solve", values, "touchstone").empty();
  (void)progress_mode(text_of(values, "progress"));  // refuses what it does not know

  restart_before_reading(deck, options.threads, arguments.argv);
  const DeckInput input = read_deck_input(deck, values);
  const bool dry = values["dry-run"].as<bool>();
  std::vector<Problem> structures;
  {
    const OpenMpThreads threads(thread_count(options));
    structures = read_problems(input, warnings, chosen_progress(values));
  }
  if (given(values, "gradient"))
    add_parameters(structures, values["gradient"].as<std::vector<std::string>>(),
                   [&input](const SymbolValues& v) { return input.problems_with(v); });
  for (Problem& problem : structures) {
    if (pattern_step_deg) add_pattern(problem, *pattern_step_deg);
    if (page != nullptr && !have_all_directions(problem.runs)) add_pattern(problem, 5);
  }
  const auto requests_nothing = [](const std::string& warning) {
    return warning.ends_with(
        ": no XQ or RP card; the deck is run as if XQ stood at its end.");
  };
  if (pattern_step_deg || page != nullptr)
    std::erase_if(warnings, requests_nothing);
  else
    for (std::string& warning : warnings)
      if (requests_nothing(warning)) warning += " Give --pattern for gains.";
  const double read_s = seconds_since(start);
  // Before what takes long: it may start the program once more.
  std::unique_ptr<Planner> planner;
  if (!dry) planner = choose_threads(structures.front(), options, arguments.argv);
  refuse_several(values, structures);
  std::vector<Outputs> outputs;
  std::vector<fs::path> hdf5;
  for (std::size_t i = 0; i < structures.size(); ++i) {
    const auto number = static_cast<std::size_t>(std::max(input.structure, 1)) + i;
    outputs.push_back(dry ? Outputs{}
                          : read_outputs(values, deck, structures[i], number));
    hdf5.push_back(outputs.back().hdf5);
  }
  if (!dry && is_first_process())
    check_all_outputs(outputs, overwrite_of(values), input.files(structures));
  const std::vector<char> resumed = structures_to_resume(values, hdf5);
  if (!dry && is_first_process())
    for (std::size_t i = 0; i < hdf5.size(); ++i)
      refuse_left_journal(hdf5[i], resumed[i] != 0, values);
  int worst = exit_done;
  ProgressLine progress(chosen_progress(values));
  const std::vector<Monitor> monitors =
      monitors_of(structures, progress.monitor().part(read_share, 1));
  for (std::size_t i = 0; i < structures.size(); ++i) {
    options.reference_ohm = reference_given.value_or(
        structures[i].reference_ohm.value_or(Options{}.reference_ohm));
    worst = std::max(
        worst, solve_structure(structures[i], std::move(planner), outputs[i], options,
                               warnings, read_s, resumed[i] != 0, values, arguments,
                               page != nullptr, progress, monitors[i]));
    warnings.clear();  // the deck's are told with its first structure
  }
  if (page != nullptr) page->insert(page->end(), hdf5.begin(), hdf5.end());
  return worst;
}

}  // namespace

int solve_for_page(const std::vector<std::string>& words, const Arguments& arguments,
                   std::vector<fs::path>& results) {
  return solve_deck(parse("solve", words, solve_options(), "deck"), arguments, &results);
}

int run_solve(const Arguments& arguments) {
  const po::variables_map values =
      parse("solve", arguments.words, solve_options(), "deck");
  if (text_of(values, "deck").empty())
    throw Error(ErrorKind::usage, "solve: no deck given. Run `thinwire help solve`.");
  refuse_contradictions(values);
  return solve_deck(values, arguments);
}

}  // namespace thinwire::cli
