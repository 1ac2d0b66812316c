#include "cli/openmp_wait.h"

#include <unistd.h>
#include <cstdlib>

#include "mom/plan/problem_plan.h"

namespace thinwire::cli {

void wait_without_spinning(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr ||
      std::getenv("GOMP_SPINCOUNT") != nullptr)
    return;
  // About 20 us: longer than the gaps between loops of one solve, shorter than a time
  // slice.
  setenv("GOMP_SPINCOUNT", "10000", 1);
  execv("/proc/self/exe", argv);
  // Where that fails the program goes on as it was started.
}

void choose_threads(const Problem& problem, Options& options, char** argv) {
  if (options.threads == 1) return;
  // A second start takes 0.01 s, and waking threads for many short loops as much again.
  // What is not short by its size alone is not planned twice.
  constexpr double short_s = 0.1;
  constexpr std::size_t most_segments = 2000;
  Options alone = options;
  alone.device = {DeviceRequest::Kind::cpu, 0};
  alone.threads = 1;
  const bool free_to_choose = options.threads == 0 &&
                              options.device.kind != DeviceRequest::Kind::cuda &&
                              problem.structure.segments().size() <= most_segments;
  if (free_to_choose && plan(problem, alone).predicted_seconds < short_s)
    options.threads = 1;
  else
    wait_without_spinning(argv);
}

}  // namespace thinwire::cli
