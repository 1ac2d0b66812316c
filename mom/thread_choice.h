#pragma once

#include "mom/options.h"
#include "mom/problem.h"

namespace thinwire {

/// Whether one thread should solve this: where the user left the choice (Options::threads
/// 0, no GPU asked for) and the solve is short on the CPU, waking other threads for many
/// short loops takes longer than they save. Throws what plan() throws.
bool is_for_one_thread(const Problem& problem, const Options& options);

}  // namespace thinwire
