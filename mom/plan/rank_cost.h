#pragma once

#include <cstddef>

#include "mom/plan/cost_model.h"
#include "mom/plan/rank_shares.h"

namespace thinwire {

/// Seconds in which `bytes` that every rank has are summed to all of them, or sent from
/// one to all others: latency and rate of a usual cluster's fabric.
double sum_seconds(double bytes, std::size_t ranks);
double broadcast_seconds(double bytes, std::size_t ranks);

/// What a method that takes `alone` on one rank takes on the rank with this part, all of
/// whom have as many threads: what is done with the matrix in tiles and with its factors
/// is shared, preconditioners are made and applied on every rank.
PredictedCost cost_over_ranks(const ProblemSize& size, Method method,
                              double right_hand_sides, const RankPart& part,
                              PredictedCost alone);

}  // namespace thinwire
