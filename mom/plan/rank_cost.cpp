#include "mom/plan/rank_cost.h"

#include <limits>

#include "cg/direct/shared_ldlt.h"

namespace thinwire {

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
