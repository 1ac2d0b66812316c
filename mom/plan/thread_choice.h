#pragma once

#include "mom/problem/options.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Whether one thread should solve this: where the user left the choice (Options::threads
/// 0, no GPU asked for) and the solve is short on the CPU, waking other threads for many
/// short loops takes longer than they save. Throws what plan() throws.
bool is_for_one_thread(const Problem& problem, const Options& options);

/// Whether variants of this problem are solved one on each thread: small ones on a CPU.
/// Others take all threads, one after the other. Throws what plan() throws.
bool solved_side_by_side(const Problem& problem, const Options& options);

}  // namespace thinwire
