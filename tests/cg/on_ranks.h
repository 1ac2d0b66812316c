#pragma once

#include "cg/rank_threads.h"

namespace thinwire::testing {

/// Calls run(comm) on every rank, each on a thread of its own.
inline void on_ranks(int ranks, const RankThreads::Work& run) {
  RankThreads(ranks).run(run);
}

}  // namespace thinwire::testing
