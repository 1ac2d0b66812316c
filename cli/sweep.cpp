#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/command.h"
#include "cli/deck_input.h"
#include "cli/distributed_work.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/openmp_wait.h"
#include "cli/option_effects.h"
#include "cli/outputs.h"
#include "cli/parse.h"
#include "cli/processes.h"
#include "cli/progress_line.h"
#include "cli/split.h"
#include "cli/swept_deck.h"
#include "cli/tell.h"
#include "cli/tuning_cache.h"
#include "io/result/output_file.h"
#include "io/result/write_touchstone.h"
#include "io/result/write_variants.h"
#include "kernels/base/printable.h"
#include "mom/plan/planner.h"
#include "mom/schedule/solve_many.h"
#include "mom/warnings/model_warnings.h"

namespace thinwire::cli {
namespace fs = std::filesystem;
namespace po = boost::program_options;

po::options_description sweep_options() {
  po::options_description options;
  options.add_options()  //
      ("deck", po::value<std::string>()->value_name("DECK"),
       "NEC deck, or - for standard input")  //
      ("vary", po::value<std::vector<std::string>>()->value_name("NAME=VALUES"),
       "symbol (SY) and its values, 0.4,0.45,0.5 or START:STOP:COUNT; f is the frequency "
       "in MHz where no SY has that name; if repeated, all combinations are solved")  //
      ("output,o", file_name(),
       "HDF5 result, or none (default: DECK-sweep.h5 here)")  //
      ("resume", po::bool_switch(),
       "resume an interrupted sweep from its journal")  //
      ("csv", file_name(), "impedance and gain table")  //
      ("touchstone", po::value<std::string>()->value_name("NAME"),
       "S-parameters (Touchstone), a file for each variant: NAME-1.s1p ..")  //
      ("z0", po::value<double>()->value_name("OHM"),
       "reference of VSWR (default: Z0 card, or 50)")                              //
      ("json", po::bool_switch(), "print one JSON document instead of the table")  //
      ("sweep", choice("full|fast"),
       "solve every frequency, or some and model the others")  //
      ("force", po::bool_switch(),
       "overwrite foreign files and unfinished sweeps")                     //
      ("progress", choice("auto|none|json"), "progress on standard error")  //
      ("quiet", po::bool_switch(), "no progress, notes or warnings");
  options.add(split_options("variant")).add(deck_options()).add(solver_options());
  return options;
}

namespace {

class Sweep {
 public:
  Sweep(const po::variables_map& values, const Arguments& arguments)
      : values_(values), path_(text_of(values, "deck")), command_(arguments) {
    options_ = read_solver_options(values, option_warnings_);
    options_.sweep = choice_named<SweepChoice>("--sweep", text_of(values, "sweep"));
    options_.port_matrix = !output_path("sweep", values, "touchstone").empty();
    (void)progress_mode(text_of(values, "progress"));
    restart_before_reading(path_, options_.threads, arguments.argv);
    deck_.emplace(path_, values);
    sweep_ = deck_->sweep();
    sweep_.settings = settings_text(deck_->input(), options_);
    const Problem first = deck_->problem(0);
    assign_threads(options_);
    Planner planner(first, options_);
    take_first(planner);
    if (options_.threads != 1) wait_without_spinning(arguments.argv);
    // May start a GPU, so not before the program has started for good.
    choice_ = choose_for_many(planner, sweep_.count(), options_);
    deck_warnings_ = deck_->check(options_);
    read_outputs(first);
    const auto add = [this](std::vector<std::string> more) {
      std::ranges::move(more, std::back_inserter(option_warnings_));
    };
    add(idle_option_warnings(values_, planner, options_));
    if (hdf5_.empty() && touchstone_.empty() && (csv_.empty() || is_stdout(csv_)))
      add(idle_option_warnings(values_, {"no-files"}));
  }

  int run() {
    solve_all();
    if (!is_first_process()) return exit_done;
    write();
    const auto& all = sweep_.variants;
    const bool converged = std::all_of(all.begin(), all.end(), [](const auto& variant) {
      return std::all_of(variant->rows.begin(), variant->rows.end(),
                         [](const VariantRow& row) { return row.converged; });
    });
    return converged ? exit_done : exit_not_converged;
  }

 private:
  /// Takes from the first variant the settings that hold for all.
  void take_first(Planner& planner) {
    const Problem& problem = planner.problem();
    options_.reference_ohm = problem.reference_ohm.value_or(options_.reference_ohm);
    if (values_.count("z0")) options_.reference_ohm = values_["z0"].as<double>();
    if (!(options_.reference_ohm > 0 && std::isfinite(options_.reference_ohm)))
      throw Error(ErrorKind::usage,
                  fmt::format("--z0 must be a positive number of ohm (got {:g}).",
                              options_.reference_ohm));
    std::vector<std::string> warnings;
    if (is_first_process()) choose_cpu_rates(planner, options_, warnings);
    for (const std::string& warning : warnings)
      if (!values_["quiet"].as<bool>()) tell("warning: {}\n", warning);
    broadcast(options_.cpu_rates);
    assign_device(planner, options_);
    groups_ = group_count(values_, "variant", sweep_.count(), "", planner, options_);
  }

  void read_outputs(const Problem& first) {
    hdf5_ = output_path("sweep", values_, "output",
                        deck_name(path_).stem().string() + "-sweep.h5");
    csv_ = output_path("sweep", values_, "csv");
    const bool resume = values_["resume"].as<bool>();
    const bool kept = !hdf5_.empty() && !is_written_directly(hdf5_);
    if (is_stdout(hdf5_))
      throw Error(ErrorKind::usage,
                  "sweep: standard output holds the table. Name a file.");
    if (resume && !kept)
      throw Error(ErrorKind::usage,
                  "sweep: variants are kept in a journal beside --output, which must be "
                  "a file. Name one.");
    if (is_stdout(csv_) && values_["json"].as<bool>())
      throw Error(
          ErrorKind::usage,
          "sweep: --csv - contradicts --json: both write to standard output. Name a "
          "file for one of them.");
    read_touchstone(first);
    if (!is_first_process()) return;
    const Overwrite overwrite = overwrite_of(values_);
    std::vector<PlannedOutput> outputs = {
        {hdf5_, std::string(file_kind::sweep), overwrite, true},
        {csv_, std::string(file_kind::sweep_table), overwrite}};
    for (const std::vector<TouchstoneFile>& files : touchstone_)
      for (const TouchstoneFile& file : files)
        outputs.push_back({file.path, std::string(file_kind::touchstone), overwrite});
    check_outputs("sweep", outputs, deck_->input().files(std::span(&first, 1)));
    if (!kept) return;
    journal_path_ = Journal::beside(hdf5_);
    Journal::refuse_left(journal_path_, resume, overwrite == Overwrite::any);
  }

  /// The files of all variants, which are numbered from 1.
  void read_touchstone(const Problem& first) {
    const fs::path path = output_path("sweep", values_, "touchstone");
    if (path.empty()) return;
    constexpr std::size_t max_files = 10'000;
    if (is_stdout(path))
      throw Error(ErrorKind::usage,
                  "sweep: --touchstone writes a file for each variant. Name a file.");
    if (sweep_.count() * first.runs.size() > max_files)
      throw Error(ErrorKind::usage,
                  fmt::format("sweep: --touchstone would write a file for each of {} "
                              "variants, and at most {} are written. Sweep fewer values.",
                              sweep_.count(), max_files));
    for (std::size_t v = 0; v < sweep_.count(); ++v)
      touchstone_.push_back(touchstone_files(
          path, first,
          fmt::format("-{:0{}}", v + 1, std::to_string(sweep_.count()).size())));
  }

  void solve_all() {
    std::vector<fs::path> outputs;
    for (const fs::path& path : {hdf5_, csv_})
      if (!path.empty()) outputs.push_back(path);
    guard_.emplace(outputs, OnInterrupt::end);
    ProgressLine progress(values_["quiet"].as<bool>() || !is_first_process()
                              ? ProgressMode::none
                              : progress_mode(text_of(values_, "progress")));
    const Monitor monitor = progress.monitor();
    DistributedWork::OpenJournal open;
    if (!journal_path_.empty())
      open = [this] {
        auto store =
            std::make_unique<JournalStore>("sweep", journal_path_, deck_->problem(0),
                                           values_["resume"].as<bool>(), values_);
        store->begin();
        return store;
      };
    work_.emplace("variants", sweep_.count(), groups_, open, monitor);
    options_.ranks = work_->group();
    try {
      solve_variants();
    } catch (const Error& error) {
      progress.clear();
      rethrow(error);
    }
    monitor.done();
    progress.clear();
    if (!is_first_process()) return;
    for (std::size_t v = 0; v < sweep_.variants.size(); ++v)
      sweep_.variants[v] = variant_of(work_->take(v));
  }

  void solve_variants() {
    ManyProblems many;
    many.tasks = work_->tasks();
    many.problem_at = [this](std::size_t v) { return deck_->problem(v); };
    many.name = [this](std::size_t v) { return with_values(v); };
    many.done = [&](std::size_t v, const Problem& problem, Solution&& solution) {
      work_->done(v, variant_bytes(with_warnings(v, problem, std::move(solution))));
    };
    solve_many(many, options_.ranks == nullptr ? choice_ : ManyChoice::one_by_one,
               options_);
  }

  /// "with h=0.3: "; empty where only the frequency varies.
  std::string with_values(std::size_t variant) const {
    const std::string name = sweep_.name(variant);
    return name.empty() ? name : fmt::format("with {}: ", name);
  }

  /// With the warnings of its deck and of its model.
  Variant with_warnings(std::size_t number, const Problem& problem,
                        Solution&& solution) const {
    std::vector<std::string> warnings = deck_warnings_[number];
    for (std::string& warning : model_warnings(problem, options_))
      warnings.push_back(std::move(warning));
    Variant solved = Variant::of(std::move(solution));
    solved.warnings.insert(solved.warnings.begin(), warnings.begin(), warnings.end());
    return solved;
  }

  /// An interrupt says what is left.
  [[noreturn]] void rethrow(const Error& error) const {
    const std::string kept = work_->what_is_kept();
    if (error.kind() != ErrorKind::interrupted || kept.empty()) throw error;
    throw Error(ErrorKind::interrupted, "interrupted." + kept);
  }

  void write() {
    Delivery delivery;
    delivery.write(csv_, [&] {
      write_result_file(csv_, variants_csv(sweep_, options_.reference_ohm));
    });
    for (std::size_t v = 0; v < touchstone_.size(); ++v)
      for (const TouchstoneFile& file : touchstone_[v])
        delivery.write(file.path, [&] {
          write_result_file(
              file.path, variant_touchstone(sweep_, v, file.run, options_.reference_ohm));
        });
    delivery.write(hdf5_,
                   [&] { write_variants_hdf5(hdf5_, sweep_, command_.command_line); });
    if (delivery.succeeded()) work_->end();
    if (!values_["quiet"].as<bool>()) {
      for (const std::string& warning : option_warnings_) tell("warning: {}\n", warning);
      std::vector<std::string> told;
      for (std::size_t v = 0; v < sweep_.variants.size(); ++v)
        for (const std::string& warning : sweep_.variants[v]->warnings) {
          if (std::find(told.begin(), told.end(), warning) != told.end()) continue;
          told.push_back(warning);
          tell("warning: {}{}\n", with_values(v), warning);
        }
      delivery.print_written();
    }
    if (!is_stdout(csv_))
      fmt::print("{}", values_["json"].as<bool>()
                           ? variants_json(sweep_, options_.reference_ohm)
                           : variants_table(sweep_, options_.reference_ohm));
    delivery.raise(work_->what_is_kept());
  }

  const po::variables_map& values_;
  fs::path path_, hdf5_, csv_, journal_path_;
  std::vector<std::vector<TouchstoneFile>> touchstone_;  ///< of each variant
  const Arguments& command_;
  Options options_;
  std::optional<SweptDeck> deck_;
  VariantSweep sweep_;
  int groups_ = 1;  ///< of processes
  ManyChoice choice_ = ManyChoice::one_by_one;
  std::vector<std::string> option_warnings_;
  std::vector<std::vector<std::string>> deck_warnings_;  ///< of each variant
  std::optional<DistributedWork> work_;
  std::optional<InterruptGuard> guard_;
};

}  // namespace

int run_sweep(const Arguments& arguments) {
  const po::variables_map values =
      parse("sweep", arguments.words, sweep_options(), "deck");
  if (text_of(values, "deck").empty())
    throw Error(ErrorKind::usage, "sweep: no deck given. Run `thinwire help sweep`.");
  return Sweep(values, arguments).run();
}

}  // namespace thinwire::cli
