#pragma once

#include <cstddef>

#include "mom/plan/cost_model.h"
#include "mom/plan/rank_shares.h"

namespace thinwire {

/// One way between two owners: what a message takes however short, and bytes a second.
struct Link {
  double latency_s, bytes_per_s;
};

/// Many equal GPUs: those of a host joined by fast links, hosts by a network.
struct Cluster {
  std::size_t gpus_a_host = 1;
  Link inside, between;
  double call_s = 0;        ///< of a collective operation, however small
  double memory_bytes = 0;  ///< of a GPU
  double share = 1;         ///< multiprocessors of a GPU over GpuRates::multiprocessors

  std::size_t hosts(std::size_t owners) const {
    return (owners + gpus_a_host - 1) / gpus_a_host;
  }
};

/// Seconds of the sum of vectors of so many bytes, one of each owner, to all of them.
/// owners >= 1.
double all_reduce_seconds(const Cluster& cluster, std::size_t owners, double bytes);
/// Seconds of a vector of one owner to all, in pieces that follow each other.
double broadcast_seconds(const Cluster& cluster, std::size_t owners, double bytes);

/// Ranks as owners, each on a host of its own: the network of a usual cluster, 2 us and
/// 10 GB/s a host.
Cluster rank_cluster();

/// Predicts the cost on the rank with this part of a method that costs `alone` on one
/// rank; all ranks have as many threads. Work on the matrix in tiles and on its factors
/// is shared; preconditioners are made and applied on every rank.
PredictedCost cost_over_ranks(const ProblemSize& size, Method method,
                              double right_hand_sides, const RankPart& part,
                              PredictedCost alone);

}  // namespace thinwire
