#include "cli/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "cli/parse.h"
#include "cli/processes.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "mom/gpu/gpu.h"
#include "mom/plan/planner.h"

namespace thinwire::cli {
namespace po = boost::program_options;
namespace {

/// The fewest ranks whose GPUs, all like this one's, hold a matrix that is too large for
/// one; all of them where even these do not.
int gpus_of_matrix(Planner& planner, const Options& options) {
  int needed = 2;
  while (needed < processes()->ranks() &&
         !planner.choose(options, equal_shares(needed)).shortage.empty())
    ++needed;
  return needed;
}

/// Processes that say the same number as this one. Together.
double alike(double number) {
  std::vector<double> all(static_cast<std::size_t>(processes()->ranks()));
  processes()->gather(std::span<const double>(&number, 1), all);
  return static_cast<double>(std::count(all.begin(), all.end(), number));
}

/// Ranks that a matrix needs to fit, if those of a host share its memory, and those with
/// one GPU share that; all of them where one is short of memory for it anyway. Together:
/// no rank may leave before the others know.
int ranks_of_matrix(Planner& planner, const Options& options) {
  const double ranks = processes()->ranks();
  const Plan needed = planner.choose(options);
  double share = static_cast<double>(needed.host_bytes) * alike(processes()->host()) /
                 std::max(1.0, static_cast<double>(host_memory().free));
  double on_gpu = 1;
  if (options.device.kind == DeviceRequest::Kind::cuda) {
    const DeviceInfo gpu = require_gpu().use(options.device.index);
    // In the digits of a double.
    on_gpu = alike(static_cast<double>(std::hash<std::string>()(gpu.uuid) >> 12));
    share = std::max(share, static_cast<double>(needed.device_bytes) * on_gpu /
                                std::max(1.0, static_cast<double>(gpu.free_bytes)));
  }
  double most = ranks;
  if (needed.shortage.empty())
    most = std::ceil(share);
  else if (!needed.gpus.empty())
    most = on_gpu * gpus_of_matrix(planner, options);
  most = std::clamp(most, 1.0, ranks);
  std::vector<double> all(static_cast<std::size_t>(processes()->ranks()));
  processes()->gather(std::span<const double>(&most, 1), all);
  return static_cast<int>(*std::max_element(all.begin(), all.end()));
}

}  // namespace

po::options_description split_options(const char* part) {
  const std::string text = fmt::format(
      "under mpirun: each process solves one {0} at a time, or all share each matrix "
      "(auto: {0} where a matrix fits in memory)",
      part);
  po::options_description options;
  options.add_options()("split", choice(fmt::format("auto|{}|none", part)), text.c_str());
  return options;
}

int group_count(const po::variables_map& values, const char* part, std::size_t count,
                const std::string& undivided, Planner& planner, const Options& options) {
  const std::string word = text_of(values, "split");
  if (word != "auto" && word != "none" && word != part)
    throw Error(
        ErrorKind::usage,
        fmt::format("--split must be one of auto, none, {} (got '{}').", part, word));
  if (processes() == nullptr) return 1;
  if (word == part && !undivided.empty())
    throw Error(ErrorKind::usage, fmt::format("--split {}: {}", part, undivided));
  if (word == "none" || !undivided.empty()) return 1;
  const int most = processes()->ranks() / ranks_of_matrix(planner, options);
  return std::max(1, static_cast<int>(std::min<std::size_t>(count, most)));
}

}  // namespace thinwire::cli
