#include "kernels/matrix/symv_runs.h"

#include <string>

#include "kernels/base/error.h"
#include "kernels/device/tuning.h"

namespace thinwire {
namespace {

int chosen_runs = tuning::symv_runs_per_block;

}  // namespace

int symv_runs_per_block() {
  return chosen_runs;
}

void set_symv_runs_per_block(int runs) {
  if (runs < 0 || runs > 16)
    throw Error(ErrorKind::usage,
                "symmetric product: runs a block must be 1 .. 16, or 0 for the default "
                "(got " +
                    std::to_string(runs) + ").");
  chosen_runs = runs > 0 ? runs : tuning::symv_runs_per_block;
}

}  // namespace thinwire
