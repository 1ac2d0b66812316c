#pragma once

#include "mom/plan/cost_model.h"
#include "mom/plan/rank_shares.h"
#include "mom/plan/scaling_model.h"

namespace thinwire {

/// Ranks as owners of scaling_model.h, each on a host of its own: the network of a usual
/// cluster, 2 us and 10 GB/s a host.
Cluster rank_cluster();

/// What a method that takes `alone` on one rank takes on the rank with this part, all of
/// whom have as many threads: what is done with the matrix in tiles and with its factors
/// is shared, preconditioners are made and applied on every rank.
PredictedCost cost_over_ranks(const ProblemSize& size, Method method,
                              double right_hand_sides, const RankPart& part,
                              PredictedCost alone);

}  // namespace thinwire
