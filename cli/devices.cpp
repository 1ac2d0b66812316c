#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/result_table.h"

namespace thinwire::cli {
namespace {

/// The processor's name as Linux gives it, or "unknown".
std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace

int run_devices(const Arguments& arguments) {
  if (!arguments.words.empty() && arguments.words[0] != "--help")
    throw Error(ErrorKind::usage, "devices: takes no arguments. Run `thinwire devices`.");
  if (!arguments.words.empty()) {
    fmt::print("thinwire devices: what this program can compute on here\n");
    return exit_done;
  }
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  fmt::print("cpu   {}, {} threads, {}\n", cpu_name(), omp_get_max_threads(),
             bytes_text(memory));
#if defined(THINWIRE_WITH_CUDA)
  fmt::print("cuda  compiled in\n");
#else
  fmt::print("cuda  not compiled in (configure with -DTHINWIRE_CUDA=on)\n");
#endif
  return exit_done;
}

}  // namespace thinwire::cli
