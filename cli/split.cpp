#include "cli/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/parse.h"
#include "cli/processes.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "mom/plan/problem_plan.h"

namespace thinwire::cli {
namespace po = boost::program_options;
namespace {

/// The fewest ranks whose GPUs, all like this one's, hold a matrix that is too large for
/// one; all of them where even these do not.
int gpus_of_matrix(const Problem& problem, const Options& options) {
  int needed = 2;
  while (needed < processes()->ranks() &&
         !plan(problem, options, needed).shortage.empty())
    ++needed;
  return needed;
}

/// Ranks that a matrix needs to fit, if those of a host share its memory; all of them
/// where one is short of memory for it anyway. Together: no rank may leave before the
/// others know.
int ranks_of_matrix(const Problem& problem, const Options& options) {
  const int ranks = processes()->ranks();
  const Plan needed = plan(problem, options);
  std::vector<double> all(ranks);
  const double host = processes()->host();
  processes()->gather(std::span<const double>(&host, 1), all);
  const auto here = static_cast<double>(std::count(all.begin(), all.end(), host));
  const double share = static_cast<double>(needed.host_bytes) * here /
                       std::max(1.0, static_cast<double>(host_memory().free));
  const double most = needed.shortage.empty()
                          ? std::clamp(std::ceil(share), 1.0, static_cast<double>(ranks))
                      : needed.gpus > 0 ? gpus_of_matrix(problem, options)
                                        : ranks;
  processes()->gather(std::span<const double>(&most, 1), all);
  return static_cast<int>(*std::max_element(all.begin(), all.end()));
}

}  // namespace

po::options_description split_options(const char* part) {
  const std::string words = fmt::format(
      "under mpirun: {0} (its processes solve one each, as they fall free), none (all "
      "share each matrix) or auto ({0} where a matrix fits)",
      part);
  po::options_description options("Several processes");
  options.add_options()(
      "split", po::value<std::string>()->default_value("auto")->value_name("WORD"),
      words.c_str());
  return options;
}

int group_count(const po::variables_map& values, const char* part, std::size_t count,
                const std::string& undivided, const Problem& problem,
                const Options& options) {
  const std::string word = text_of(values, "split");
  if (word != "auto" && word != "none" && word != part)
    throw Error(
        ErrorKind::usage,
        fmt::format("--split must be one of auto, none, {} (got '{}').", part, word));
  if (processes() == nullptr) {
    if (given(values, "split"))
      throw Error(ErrorKind::usage,
                  "--split divides processes, and this is the only one. Leave it out, or "
                  "start several with mpirun.");
    return 1;
  }
  if (word == part && !undivided.empty())
    throw Error(ErrorKind::usage, fmt::format("--split {}: {}", part, undivided));
  if (word == "none" || !undivided.empty()) return 1;
  const int most = processes()->ranks() / ranks_of_matrix(problem, options);
  return std::max(1, static_cast<int>(std::min<std::size_t>(count, most)));
}

}  // namespace thinwire::cli
