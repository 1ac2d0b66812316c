#include <fmt/format.h>

#include "bench/timing_report.h"
#include "bench/tune_products.h"
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
#include "io/result/output_file.h"
#include "kernels/base/printable.h"
#include "kernels/matrix/symv_shapes.h"
#include "mom/gpu/gpu.h"
#include "mom/problem/options.h"

namespace thinwire::cli {
namespace po = boost::program_options;

po::options_description tune_options() {
  po::options_description options;
  options.add_options()  //
      ("n", po::value<int>()->default_value(8191)->value_name("N"),
       "unknowns; a multiple of 8 needs no padding")  //
      ("repeats", po::value<int>()->default_value(7)->value_name("N"),
       "timed runs of each product")            //
      ("device", choice("cuda|cuda:N"), "GPU")  //
      ("apply", po::bool_switch(),
       "store the fastest settings in the user's cache folder, for later runs on this "
       "GPU");
  add_report_options(options, "plot", "time over threads a block, as a page");
  return options;
}

namespace {

/// Says what is missing, in words that fit this command.
void refuse_without_gpu() {
  const DeviceReport report = gpu_report();
  if (!report.problem.empty())
    throw Error(ErrorKind::device,
                "tune needs a GPU, there is nothing to tune on a CPU: " + report.problem);
}

/// Returns the settings that the sweep would change, the others at their defaults.
StoredTuning changes(const TuneReport& report) {
  StoredTuning tuning;
  if (report.row_threads.change) tuning.row_threads = report.best_row_threads;
  if (report.symv.change) {
    tuning.symv_shape =
        name_of(symv_shapes.at(static_cast<std::size_t>(report.best_symv_shape)));
    tuning.symv_runs_per_block = report.best_symv_runs;
  }
  return tuning;
}

int tune(const po::variables_map& values, const std::string& command_line) {
  const bool quiet = values["quiet"].as<bool>();
  const int n = values["n"].as<int>();
  if (n < 1 || n > 200000)
    throw Error(ErrorKind::usage, fmt::format("--n must be 1 .. 200000 (got {}).", n));
  TuneOptions options;
  options.n = static_cast<std::size_t>(n);
  options.repeats = values["repeats"].as<int>();
  if (options.repeats < 1)
    throw Error(ErrorKind::usage,
                fmt::format("--repeats must be 1 or more (got {}).", options.repeats));
  const DeviceRequest device = one_device("tune", text_of(values, "device"));
  if (device.kind != DeviceRequest::Kind::cuda)
    throw Error(ErrorKind::usage,
                fmt::format("tune: --device must be cuda or cuda:N (got '{}').",
                            name_of(device)));
  const ReportFiles files = read_report_files("tune", values, "plot");
  refuse_without_gpu();
  const std::string gpu = require_gpu().use(device.index).name;
  std::filesystem::path cache;
  if (values["apply"].as<bool>()) cache = writable_tuning_file(gpu);

  const InterruptGuard guard(files.all(), OnInterrupt::keep);
  ProgressLine progress(quiet ? ProgressMode::none : ProgressMode::automatic);
  options.monitor = progress.monitor();
  const TuneReport report =
      sweep_products(*require_gpu().product_bench(options.n, options.repeats), options);
  progress.clear();

  if (report.interrupted && report.rows.empty())
    throw Error(ErrorKind::interrupted, "tune: interrupted. Nothing was written.");

  const std::string timings =
      fmt::format("median, fastest and slowest of {} runs by events on cuda:{}",
                  report.repeats, device.index);
  Delivery delivery =
      deliver_report(files,
                     {"tune", "Products on " + gpu, tune_tables(report),
                      machine_header({{"timings", timings}}), tune_plots(report),
                      tune_findings(report), report.interrupted},
                     quiet, command_line);
  if (!report.interrupted && !cache.empty() && delivery.take([&] {
        write_result_file(cache, tuning_json(gpu, changes(report)));
      }) &&
      !quiet)
    tell("wrote {}\n", shown(cache));
  delivery.raise();
  if (report.interrupted) throw_interrupted("tune");
  return exit_done;
}

}  // namespace

int run_tune(const Arguments& arguments) {
  const po::variables_map values = parse("tune", arguments.words, tune_options());
  wait_without_spinning(arguments.argv);
  return tune(values, arguments.command_line);
}

}  // namespace thinwire::cli
