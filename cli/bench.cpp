#include <fmt/format.h>

#include <algorithm>

#include "bench/timing_report.h"
#include "cli/bench_devices.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/machine.h"
#include "cli/openmp_wait.h"
#include "cli/parse.h"
#include "cli/progress_line.h"
#include "cli/report_files.h"
#include "cli/tell.h"
#include "cli/tuning_cache.h"
#include "mom/gpu/gpu.h"
#include "mom/problem/options.h"

namespace thinwire::cli {
namespace po = boost::program_options;

po::options_description bench_options() {
  const std::string solvers = names_of<SolverChoice>();
  po::options_description options;
  options.add_options()  //
      ("max-n", po::value<int>()->default_value(4000)->value_name("N"),
       "most unknowns; sizes double from 1,000")  //
      ("repeats", po::value<int>()->default_value(3)->value_name("N"),
       "timed runs of a solve; of a product ten times as many")                   //
      ("solver", choice(solvers.substr(solvers.find("cg"))), "iterative method")  //
      ("precond", choice("block|auto|none|two-level|overlap"),
       "its preconditioner")  //
      ("tolerance", po::value<double>()->default_value(1e-6, "1e-6")->value_name("X"),
       "relative residual to reach")  //
      ("time-limit", po::value<double>()->default_value(60)->value_name("S"),
       "leave out solves predicted to take longer")  //
      ("device", choice("auto|cpu|cuda|cuda:N"),
       "auto: CPU, and GPU where there is one")              //
      ("gpu-only", po::bool_switch(), "time the GPU alone")  //
      ("devices", po::value<std::string>()->value_name("LIST"),
       "time products of --max-n unknowns (default 65536) by these numbers of GPUs "
       "instead, such as 1,2,4");
  add_report_options(options);
  return options;
}

namespace {

BenchOptions read_bench_options(const po::variables_map& values) {
  BenchOptions options;
  options.max_n = static_cast<std::size_t>(
      in_range("bench", "max-n", values["max-n"].as<int>(), 1000, 200000));
  options.repeats = in_range("bench", "repeats", values["repeats"].as<int>(), 1, 1000);
  options.solver = choice_named<SolverChoice>("--solver", text_of(values, "solver"));
  if (options.solver == SolverChoice::automatic || options.solver == SolverChoice::direct)
    throw Error(
        ErrorKind::usage,
        fmt::format("bench: --solver must be iterative (got '{}'); the direct solver "
                    "is measured beside it.",
                    name_of(options.solver)));
  options.preconditioner =
      choice_named<PreconditionerChoice>("--precond", text_of(values, "precond"));
  options.tolerance =
      in_range("bench", "tolerance", values["tolerance"].as<double>(), 1e-14, 0.5);
  options.time_limit_s =
      in_range("bench", "time-limit", values["time-limit"].as<double>(), 1e-3, 1e6);
  options.cpu = !values["gpu-only"].as<bool>();
  const DeviceRequest device = one_device("bench", text_of(values, "device"));
  options.gpu = device.kind != DeviceRequest::Kind::cpu;
  if (device.kind == DeviceRequest::Kind::cuda) {
    options.gpu_index = device.index;
    require_gpu().use(options.gpu_index);  // an error where it is not there
  } else if (options.gpu) {
    const DeviceReport report = gpu_report();
    if (const DeviceInfo* const gpu = report.first_usable())
      options.gpu_index = gpu->index;
    else if (!options.cpu)
      throw Error(ErrorKind::device, "bench --gpu-only: " + report.problem);
  }
  return options;
}

/// Returns the problem and the machine of a report.
ReportHeader bench_header(const BenchOptions& options) {
  return machine_header(
      {{"solved", fmt::format("arrays of half-wave dipoles 0.6 wavelengths apart, 20 "
                              "unknowns each, one fed; by {} with preconditioner {} to "
                              "{:g}; times are medians of up to {}",
                              name_of(options.solver), name_of(options.preconditioner),
                              options.tolerance, options.repeats)}});
}

int bench(const po::variables_map& values, const std::string& command_line) {
  const bool quiet = values["quiet"].as<bool>();
  BenchOptions options = read_bench_options(values);
  const ReportFiles files = read_report_files("bench", values, "html");
  if (options.gpu && gpu_report().problem.empty()) {
    std::vector<std::string> warnings;
    const StoredTuning tuning = stored_tuning(options.gpu_index, warnings);
    options.symv = symv_setting(tuning);
    if (tuning.row_threads > 0) options.row_threads = tuning.row_threads;
    for (const std::string& warning : warnings)
      if (!quiet) tell("warning: {}\n", warning);
  }

  const InterruptGuard guard(files.all(), OnInterrupt::keep);
  ProgressLine progress(quiet ? ProgressMode::none : ProgressMode::automatic);
  options.monitor = progress.monitor();
  const BenchReport report = compare_solvers(options);
  progress.clear();

  if (report.interrupted && report.solves.empty() && report.products.empty())
    throw Error(ErrorKind::interrupted, "bench: interrupted. Nothing was written.");

  deliver_report(files,
                 {"bench", "thinwire: CPU and GPU side by side", bench_tables(report),
                  bench_header(options), bench_plots(report), bench_findings(report),
                  report.interrupted},
                 quiet, command_line)
      .raise();
  if (report.interrupted) throw_interrupted("bench");
  const bool converged =
      std::all_of(report.solves.begin(), report.solves.end(),
                  [](const SolveTiming& solve) { return solve.converged; });
  return converged ? exit_done : exit_not_converged;
}

}  // namespace

int run_bench(const Arguments& arguments) {
  const po::variables_map values = parse("bench", arguments.words, bench_options());
  wait_without_spinning(arguments.argv);
  if (given(values, "devices")) return bench_devices(values, arguments.command_line);
  return bench(values, arguments.command_line);
}

}  // namespace thinwire::cli
