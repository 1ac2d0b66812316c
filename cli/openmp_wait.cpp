#include "cli/openmp_wait.h"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/processes.h"
#include "mom/plan/planner.h"

namespace thinwire::cli {

void wait_without_spinning(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr ||
      std::getenv("GOMP_SPINCOUNT") != nullptr)
    return;
  // Pauses of 20 to 50 ns each, 10 to 25 us in all: longer than the gaps between loops of
  // one solve. Where another process has the other thread's core, each loop waits so
  // long.
  setenv("GOMP_SPINCOUNT", "500", 1);
  execv("/proc/self/exe", argv);
  // Where that fails the program goes on as it was started.
}

void limit_threads(Options& options, std::vector<std::string>& warnings) {
  const int cores = processes() == nullptr
                        ? omp_get_num_procs()
                        : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)),
            asked = thread_count(options);
  if (asked <= cores) return;
  warnings.push_back(fmt::format("{} {} is limited to {}, the number of cores",
                                 options.threads > 0 ? "--threads" : "OMP_NUM_THREADS",
                                 asked, cores));
  if (options.threads > 0)
    options.threads = cores;
  else
    omp_set_num_threads(cores);
}

std::unique_ptr<Planner> choose_threads(const Problem& problem, Options& options,
                                        char** argv) {
  if (options.threads == 1) return nullptr;
  std::unique_ptr<Planner> planner;
  if (may_be_for_one_thread(problem, options))
    planner = std::make_unique<Planner>(problem, options);
  // A second start takes 0.01 s.
  if (planner && planner->is_for_one_thread(options))
    options.threads = 1;
  else
    wait_without_spinning(argv);
  return planner;
}

}  // namespace thinwire::cli
