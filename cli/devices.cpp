#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cg/direct/direct.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/machine.h"
#include "cli/result_table.h"
#include "cli/tell.h"
#include "cli/tuning_cache.h"
#include "kernels/base/bytes_text.h"
#include "kernels/base/counted.h"
#include "kernels/base/host_memory.h"
#include "mom/gpu/gpu.h"

namespace thinwire::cli {
namespace {

void print_cpu() {
  const HostMemory memory = host_memory();
  fmt::print("cpu      {}, {}, {}\n", cpu_name(),
             counted(static_cast<std::size_t>(omp_get_max_threads()), "thread"),
             memory_text(memory));
  fmt::print("blas     {}\n", blas_name());
  std::vector<std::string> warnings;
  const std::optional<CpuRates> rates = stored_cpu_rates(omp_get_max_threads(), warnings);
  for (const std::string& warning : warnings) tell("warning: {}\n", warning);
  if (rates)
    fmt::print(
        "rates    of a thread, measured: fill {:.3g} entries/s, product {:.3g} GB/s, "
        "LDL^T "
        "{:.3g} Gflop/s, far field {:.3g} terms/s\n",
        rates->fill_entries_per_s, 1e-9 * rates->product_bytes_per_s,
        1e-9 * rates->factor_flops_per_s, rates->field_terms_per_s);
}

/// A message without the place where it starts, which stands before it already.
std::string_view without(std::string_view place, std::string_view message) {
  if (message.starts_with(place)) message.remove_prefix(place.size());
  return message;
}

void print_gpu(const DeviceInfo& device) {
  fmt::print("cuda:{:<4}{}, compute capability {}.{}, {} multiprocessors", device.index,
             device.name, device.compute_capability / 10, device.compute_capability % 10,
             device.multiprocessors);
  if (device.memory_bytes > 0)
    fmt::print(", {} of {} free", bytes_text(static_cast<double>(device.free_bytes)),
               bytes_text(static_cast<double>(device.memory_bytes)));
  fmt::print("\n");
  if (!device.usable())
    fmt::print("         {}\n",
               without(fmt::format("cuda:{}: ", device.index), device.problem));
}

/// How it reaches the other GPUs: a line for each way that some are reached.
void print_links(const DeviceInfo& device) {
  std::map<std::string, std::vector<std::string>> others;
  for (const PeerLink& link : device.peers)
    others[!link.direct   ? "through the host's memory"
           : link.atomics ? "directly, over NVLink"
                          : "directly, over PCIe"]
        .push_back(fmt::format("cuda:{}", link.index));
  for (const auto& [way, names] : others)
    fmt::print("         reaches {} {}\n", fmt::join(names, ", "), way);
}

/// Prints the settings that `thinwire tune --apply` stored for a device.
void print_tuning(const DeviceInfo& device) {
  std::vector<std::string> warnings;
  const StoredTuning tuning = load_tuning(device.name, warnings);
  for (const std::string& warning : warnings) tell("warning: {}\n", warning);
  if (tuning != StoredTuning())
    fmt::print("         tuned: {}\n",
               (tuning_folder() / tuning_file_name(device.name)).string());
}

}  // namespace

int run_devices(const Arguments& arguments) {
  if (!arguments.words.empty())
    throw Error(ErrorKind::usage, "devices: takes no arguments. Run `thinwire devices`.");
  print_cpu();
  const DeviceReport report = gpu_report();
  for (const DeviceInfo& device : report.devices) {
    print_gpu(device);
    print_links(device);
    print_tuning(device);
  }
  if (report.module)
    fmt::print(
        "cuda     module built with CUDA {} for compute capability {}; driver {}for CUDA "
        "{}\n",
        cuda_version_text(report.runtime_version), report.architectures,
        nvidia_driver().empty() ? "" : nvidia_driver() + " ",
        cuda_version_text(report.driver_version));
  if (!report.problem.empty() && report.devices.empty())
    fmt::print("cuda     {}\n", without("cuda: ", report.problem));
  return exit_done;
}

}  // namespace thinwire::cli
