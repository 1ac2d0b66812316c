#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <string>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/machine.h"
#include "cli/result_table.h"
#include "kernels/device.h"

namespace thinwire::cli {
namespace {

void print_cpu() {
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  fmt::print("cpu      {}, {} threads, {}\n", cpu_name(), omp_get_max_threads(),
             bytes_text(memory));
}

void print_gpu(const DeviceInfo& device) {
  fmt::print(
      "cuda:{:<4}{}, compute capability {}.{}, {} multiprocessors, {} of {} free\n",
      device.index, device.name, device.compute_capability / 10,
      device.compute_capability % 10, device.multiprocessors,
      bytes_text(static_cast<double>(device.free_bytes)),
      bytes_text(static_cast<double>(device.memory_bytes)));
  if (!device.runs_this_build)
    fmt::print(
        "         cannot be used: this program has no code for it. Configure with "
        "-DCMAKE_CUDA_ARCHITECTURES={} and build again.\n",
        device.compute_capability);
}

}  // namespace

int run_devices(const Arguments& arguments) {
  if (!arguments.words.empty() && arguments.words[0] != "--help")
    throw Error(ErrorKind::usage, "devices: takes no arguments. Run `thinwire devices`.");
  if (!arguments.words.empty()) {
    fmt::print("thinwire devices: what this program can compute on here\n");
    return exit_done;
  }
  print_cpu();
  const DeviceReport report = device_report();
  for (const DeviceInfo& device : report.devices) print_gpu(device);
  if (report.built)
    fmt::print("cuda     built with CUDA {}; driver for CUDA {}\n",
               cuda_version_text(report.runtime_version),
               cuda_version_text(report.driver_version));
  else
    fmt::print(
        "cuda     not compiled in: CPU only. Install NVIDIA's CUDA toolkit and "
        "configure with -DTHINWIRE_CUDA=on.\n");
  if (report.built && !report.problem.empty())
    fmt::print("cuda     {}\n", report.problem);
  return exit_done;
}

}  // namespace thinwire::cli
