#include "cli/openmp_wait.h"

#include <unistd.h>
#include <cstdlib>

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

}  // namespace thinwire::cli
