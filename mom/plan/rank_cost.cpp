#include "mom/plan/rank_cost.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "cg/direct/shared_ldlt.h"

namespace thinwire {
namespace {

double as_double(std::size_t count) {
  return static_cast<double>(count);
}

/// Steps in which a tree reaches all of them.
double tree_steps(std::size_t owners) {
  return as_double(static_cast<std::size_t>(std::bit_width(owners - 1)));
}

/// Returns the part of the whole that the other owners have.
double part_of_others(std::size_t owners) {
  return as_double(owners - 1) / as_double(owners);
}

}  // namespace

double all_reduce_seconds(const Cluster& cluster, std::size_t owners, double bytes) {
  if (owners == 1) return 0;
  const std::size_t inside = std::min(owners, cluster.gpus_a_host),
                    hosts = cluster.hosts(owners);
  // Each GPU of a host sums a part of the vector, meets those of other hosts that have
  // the same part, and all parts go round again.
  const auto there_and_back = [](const Link& link, std::size_t among, double part) {
    return 2 * tree_steps(among) * link.latency_s +
           2 * part * part_of_others(among) / link.bytes_per_s;
  };
  return cluster.call_s + there_and_back(cluster.inside, inside, bytes) +
         there_and_back(cluster.between, hosts, bytes / as_double(inside));
}

double broadcast_seconds(const Cluster& cluster, std::size_t owners, double bytes) {
  if (owners == 1) return 0;
  const std::size_t inside = std::min(owners, cluster.gpus_a_host),
                    hosts = cluster.hosts(owners);
  // Between hosts every GPU sends its part, and inside they are put together, at once.
  const double across_s =
      hosts > 1 ? bytes / (as_double(inside) * cluster.between.bytes_per_s) : 0;
  return cluster.call_s + tree_steps(inside) * cluster.inside.latency_s +
         tree_steps(hosts) * cluster.between.latency_s +
         std::max(across_s, bytes / cluster.inside.bytes_per_s);
}

Cluster rank_cluster() {
  return {.inside = {0, std::numeric_limits<double>::infinity()},
          .between = {2e-6, 10e9}};
}

PredictedCost cost_over_ranks(const ProblemSize& size, Method method,
                              double right_hand_sides, const RankPart& part,
                              PredictedCost alone) {
  if (part.ranks == 1) return alone;
  const auto n = static_cast<double>(size.unknowns);
  constexpr double entry_bytes = sizeof(Complex);
  const Cluster cluster = rank_cluster();
  const auto sent_s = [&](double entries) {
    return broadcast_seconds(cluster, part.ranks, entry_bytes * entries);
  };
  const auto summed_s = [&](double entries) {
    return all_reduce_seconds(cluster, part.ranks, entry_bytes * entries);
  };
  PredictedCost cost = alone;
  cost.fill_s *= part.share;
  cost.solve_s *= part.share;
  if (method.solver == SolverChoice::direct) {
    constexpr auto width = static_cast<double>(SharedLdlt::default_width);
    const double panels = n / width;
    // The matrix is distributed; then W and L of each panel, which has n / 2 rows on
    // average.
    cost.factor_s =
        part.share * alone.factor_s + sent_s(n * n / 2) + panels * sent_s(n * width);
    cost.solve_s += right_hand_sides * panels * (summed_s(width) + sent_s(width));
    return cost;
  }
  const double products =
      cost.iterations * (method.solver == SolverChoice::cg ? 2 : 1) + 2;
  cost.solve_s += right_hand_sides * products * summed_s(n);
  return cost;
}

}  // namespace thinwire
