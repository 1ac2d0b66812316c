#include "cli/openmp_wait.h"

#include <unistd.h>
#include <cstdlib>

#include "mom/thread_choice.h"

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
  // A second start takes 0.01 s.
  if (is_for_one_thread(problem, options))
    options.threads = 1;
  else
    wait_without_spinning(argv);
}

}  // namespace thinwire::cli
