#pragma once

#include <memory>
#include <vector>

#include "mom/plan/planner.h"
#include "mom/problem/options.h"

namespace thinwire::cli {

/// Keeps OpenMP threads from spinning for long while they wait: GCC's run time spins by
/// default until work comes, so that two solvers on one machine take many times as long
/// as one after the other. The run time reads its setting before main, hence the program
/// is started once more with it: call this before anything is written or printed. Does
/// nothing when the user has set OMP_WAIT_POLICY or GOMP_SPINCOUNT.
void wait_without_spinning(char** argv);

/// Leaves out the threads, of Options or of OMP_NUM_THREADS, for which there is no core:
/// a loop waits for all of them, and 4,096 on two cores take 20 times as long as two.
/// Adds a warning where it does. One process alone counts the cores that it may use, one
/// of several, which may be bound to a few, those of the machine.
void limit_threads(Options& options, std::vector<std::string>& warnings);

/// Decides on the threads of a solution before it starts. A solution that is short on the
/// CPU gets one thread, unless the user asks for another number or for a GPU. For one
/// with several threads this calls wait_without_spinning(). Returns the problem's planner
/// where it was planned for that; else null.
std::unique_ptr<Planner> choose_threads(const Problem& problem, Options& options,
                                        char** argv);

}  // namespace thinwire::cli
