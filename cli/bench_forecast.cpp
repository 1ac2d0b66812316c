#include <fmt/format.h>

#include <algorithm>

#include "bench/scaling_forecast.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/parse.h"
#include "cli/report_files.h"

namespace thinwire::cli {
namespace po = boost::program_options;

po::options_description bench_forecast_options() {
  po::options_description options;
  options.add_options()  //
      ("unknowns", po::value<double>()->default_value(131072)->value_name("N"),
       "unknowns of the problem, the same on any number of GPUs")  //
      ("gpus", po::value<std::vector<int>>()->multitoken()->value_name("N"),
       "numbers of GPUs (default: 1, 2, 4 .. 4096)")  //
      ("gpus-a-host", po::value<int>()->value_name("N"),
       "GPUs of a host, which fast links connect (default: 8)")  //
      ("network", po::value<double>()->value_name("GB/S"),
       "network bandwidth of each GPU between hosts (default: 50)");
  add_report_options(options);
  return options;
}

namespace {

constexpr const char* forecast_command = "bench forecast";
constexpr int max_gpus = 1 << 20;

Cluster read_cluster(const po::variables_map& values) {
  Cluster cluster = h200_cluster();
  if (given(values, "gpus-a-host")) {
    const int gpus = values["gpus-a-host"].as<int>();
    cluster.gpus_a_host = static_cast<std::size_t>(
        in_range(forecast_command, "gpus-a-host", gpus, 1, max_gpus));
  }
  if (given(values, "network"))
    cluster.between.bytes_per_s =
        1e9 *
        in_range(forecast_command, "network", values["network"].as<double>(), 1e-3, 1e4);
  return cluster;
}

std::vector<std::size_t> read_gpus(const po::variables_map& values) {
  std::vector<std::size_t> all;
  if (!given(values, "gpus"))
    for (std::size_t gpus = 1; gpus <= 4096; gpus *= 2) all.push_back(gpus);
  else
    for (const int gpus : values["gpus"].as<std::vector<int>>())
      all.push_back(static_cast<std::size_t>(
          in_range(forecast_command, "gpus", gpus, 1, max_gpus)));
  return all;
}

ReportHeader forecast_header(const Cluster& cluster) {
  return {
      {"predicted",
       "by the model of docs/measurements/scaling.md; GPUs as one NVIDIA H200 was "
       "measured"},
      {"inside a host",
       fmt::format("{} GPUs, {:g} GB/s and {:g} us each", cluster.gpus_a_host,
                   1e-9 * cluster.inside.bytes_per_s, 1e6 * cluster.inside.latency_s)},
      {"between hosts",
       fmt::format("{:g} GB/s and {:g} us a GPU", 1e-9 * cluster.between.bytes_per_s,
                   1e6 * cluster.between.latency_s)}};
}

}  // namespace

int run_bench_forecast(const Arguments& arguments) {
  const po::variables_map values =
      parse(forecast_command, arguments.words, bench_forecast_options());
  const double unknowns =
      in_range(forecast_command, "unknowns", values["unknowns"].as<double>(), 1.0, 1e9);
  const Cluster cluster = read_cluster(values);
  const std::vector<std::size_t> gpus = read_gpus(values);
  const ReportFiles files = read_report_files(forecast_command, values, "html");
  const InterruptGuard guard(files.all(), OnInterrupt::keep);

  const Table strong = strong_scaling_forecast(cluster,
                                               static_cast<std::size_t>(unknowns), gpus),
              largest = largest_problem_forecast(cluster, gpus);
  deliver_report(files,
                 {forecast_command,
                  "thinwire: dense problems on many GPUs, predicted",
                  {strong, largest},
                  forecast_header(cluster),
                  forecast_plots(strong, largest)},
                 values["quiet"].as<bool>(), arguments.command_line)
      .raise();
  return exit_done;
}

}  // namespace thinwire::cli
