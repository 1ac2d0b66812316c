#include "cli/machine.h"

#include <fmt/format.h>
#include <omp.h>
#include <sys/utsname.h>

#include <thinwire_version.h>
#include <fstream>

#include "cg/direct/direct.h"
#include "cli/result_table.h"
#include "kernels/base/bytes_text.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "mom/gpu/gpu.h"

namespace thinwire::cli {

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  const auto value = [](const std::string& line) {
    return line.substr(line.find(':') + 2);
  };
  std::string implementer;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return value(line);
    // Arm's have numbers only.
    if (line.starts_with("CPU implementer")) implementer = value(line);
    if (line.starts_with("CPU part"))
      return fmt::format("Arm {}, part {}", implementer, value(line));
  }
  return "unknown";
}

std::string cuda_version_text(int version) {
  return version > 0 ? fmt::format("{}.{}", version / 1000, version % 1000 / 10) : "none";
}

std::string memory_text(const HostMemory& memory) {
  return fmt::format("{} ({} free)", bytes_text(static_cast<double>(memory.total)),
                     bytes_text(static_cast<double>(memory.free)));
}

std::string nvidia_driver() {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159  Thu ..."
  std::ifstream in("/proc/driver/nvidia/version");
  for (std::string word; in >> word;)
    if (word.find_first_not_of("0123456789.") == std::string::npos &&
        word.find('.') != std::string::npos)
      return word;
  return "";
}

ReportHeader machine_header(ReportHeader header) {
  utsname system{};
  ::uname(&system);
  const HostMemory memory = host_memory();
  header.insert(header.end(),
                {{"program", "thinwire " THINWIRE_VERSION_TEXT},
                 {"CPU", cpu_name()},
                 {"CPU threads", std::to_string(omp_get_max_threads())},
                 {"memory", memory_text(memory)},
                 {"system", fmt::format("{} {}", system.sysname, system.release)},
                 {"compiler", fmt::format("g++ {}", __VERSION__)},
                 {"BLAS", blas_name()}});
  const DeviceReport report = gpu_report();
  for (const DeviceInfo& device : report.devices)
    header.push_back(
        {fmt::format("GPU {}", device.index),
         fmt::format(
             "{}, compute capability {}.{}, {} multiprocessors, {}", device.name,
             device.compute_capability / 10, device.compute_capability % 10,
             device.multiprocessors,
             device.usable()
                 ? fmt::format("{} ({} free)",
                               bytes_text(static_cast<double>(device.memory_bytes)),
                               bytes_text(static_cast<double>(device.free_bytes)))
                 : "not used: " + device.why_not())});
  if (const std::string driver = nvidia_driver(); !driver.empty())
    header.push_back({"NVIDIA driver", driver});
  if (report.module) {
    header.push_back({"CUDA of the driver", cuda_version_text(report.driver_version)});
    header.push_back(
        {"CUDA of the module",
         fmt::format("{}, for compute capability {}",
                     cuda_version_text(report.runtime_version), report.architectures)});
  }
  if (!report.problem.empty()) header.push_back({"GPU", "none (" + report.problem + ")"});
  return header;
}

}  // namespace thinwire::cli
