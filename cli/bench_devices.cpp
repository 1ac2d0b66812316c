#include "cli/bench_devices.h"

#include <charconv>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "bench/compare_gpus.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/machine.h"
#include "cli/parse.h"
#include "cli/progress_line.h"
#include "cli/report_files.h"
#include "mom/gpu/gpu.h"

namespace thinwire::cli {
namespace {

/// "1,2,4", ascending.
std::vector<std::size_t> read_counts(const std::string& list, std::size_t there) {
  std::vector<std::size_t> counts;
  const char *at = list.data(), *end = at + list.size();
  for (bool good = true; good;) {
    std::size_t count = 0;
    const auto [stop, failed] = std::from_chars(at, end, count);
    good = failed == std::errc() && (stop == end || *stop == ',') &&
           count > (counts.empty() ? 0 : counts.back());
    if (!good)
      throw Error(ErrorKind::usage,
                  fmt::format("bench: --devices must be numbers of GPUs like 1,2,4, each "
                              "larger than the one before (got '{}').",
                              list));
    counts.push_back(count);
    if (stop == end) break;
    at = stop + 1;
  }
  if (counts.back() > there)
    throw Error(
        ErrorKind::device,
        fmt::format("bench: --devices asks for {} GPUs (this program can use {}). Run "
                    "`thinwire devices` for the list.",
                    counts.back(), there));
  return counts;
}

}  // namespace

int bench_devices(const boost::program_options::variables_map& values,
                  const std::string& command_line) {
  constexpr int standard_n = 65536;
  const int n = given(values, "max-n") ? values["max-n"].as<int>() : standard_n;
  const int repeats = values["repeats"].as<int>();
  if (n < 1000 || n > 200000 || repeats < 1 || repeats > 1000)
    throw Error(ErrorKind::usage,
                fmt::format("bench: --max-n must be 1000 .. 200000 and --repeats 1 .. "
                            "1000 (got {} and {}).",
                            n, repeats));
  const Gpu& gpu = require_gpu();
  const DeviceReport report = gpu.report();
  if (!report.problem.empty()) throw Error(ErrorKind::device, report.problem);
  std::vector<int> usable;
  for (const DeviceInfo& info : report.devices)
    if (info.usable()) usable.push_back(info.index);
  const std::vector<std::size_t> counts =
      read_counts(text_of(values, "devices"), usable.size());
  const ReportFiles files = read_report_files("bench", values, "html");
  const bool quiet = values["quiet"].as<bool>();
  const InterruptGuard guard(files.all(), OnInterrupt::keep);
  ProgressLine progress(quiet ? ProgressMode::none : ProgressMode::automatic);
  const GpuScaling scaling = compare_gpus(
      counts, static_cast<std::size_t>(n),
      [&](std::size_t unknowns, std::size_t gpus) {
        return gpu.multi_gpu_product(unknowns, std::span(usable).first(gpus),
                                     10 * repeats);
      },
      progress.monitor());
  progress.clear();

  deliver_report(
      files,
      {"bench", "thinwire: products by several GPUs", gpu_scaling_tables(scaling),
       machine_header({{"timed", fmt::format("y = Z x in complex double, "
                                             "medians of {}",
                                             10 * repeats)}}),
       gpu_scaling_plots(scaling)},
      quiet, command_line)
      .raise();
  return exit_done;
}

}  // namespace thinwire::cli
