#pragma once

#include "mom/options.h"
#include "mom/problem.h"

namespace thinwire::cli {

/// Whether variants of this problem are solved one on each thread: small ones on a CPU.
/// Others take all threads, one after the other.
bool solved_side_by_side(const Problem& problem, const Options& options);

}  // namespace thinwire::cli
