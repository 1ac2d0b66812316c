#include "tests/emulation/stop.h"

#include <cstdio>
#include <cstdlib>

void emulation::stop(const std::string& problem) {
  std::fprintf(stderr, "emulation: %s.\n", problem.c_str());
  std::abort();
}
