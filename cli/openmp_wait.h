#pragma once

namespace thinwire::cli {

/// Keeps OpenMP threads from spinning for long while they wait: GCC's run time spins by
/// default until work comes, so that two solvers on one machine take many times as long
/// as one after the other. The run time reads its setting before main, hence the program
/// is started once more with it. Does nothing when the user has set OMP_WAIT_POLICY or
/// GOMP_SPINCOUNT.
void wait_without_spinning(char** argv);

}  // namespace thinwire::cli
