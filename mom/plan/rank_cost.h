#pragma once

#include "mom/plan/cost_model.h"
#include "mom/plan/rank_shares.h"
#include "mom/plan/scaling_model.h"

namespace thinwire {

/// Ranks as owners of scaling_model.h, each on a host of its own: the network of a usual
/// cluster, 2 us and 10 GB/s a host.
Cluster rank_cluster();

/// Predicts the cost on the rank with this part of a method that costs `alone` on one
/// rank; all ranks have as many threads. Work on the matrix in tiles and on its factors
/// is shared; preconditioners are made and applied on every rank.
PredictedCost cost_over_ranks(const ProblemSize& size, Method method,
                              double right_hand_sides, const RankPart& part,
                              PredictedCost alone);

}  // namespace thinwire
