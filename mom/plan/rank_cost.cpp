#include "mom/plan/rank_cost.h"

#include <cmath>

#include "cg/direct/shared_ldlt.h"

namespace thinwire {
namespace {

/// A message's latency, and the rate at which a rank sends or receives.
constexpr double message_s = 2e-6, link_bytes_per_s = 1e10;

}  // namespace

double sum_seconds(double bytes, std::size_t ranks) {
  // Halved again and again, then gathered on the same way back (Rabenseifner 2004).
  const auto count = static_cast<double>(ranks);
  return 2 * std::ceil(std::log2(count)) * message_s +
         2 * (count - 1) / count * bytes / link_bytes_per_s;
}

double broadcast_seconds(double bytes, std::size_t ranks) {
  // Scattered, then gathered: as much as a sum.
  return sum_seconds(bytes, ranks);
}

PredictedCost cost_over_ranks(const ProblemSize& size, Method method,
                              double right_hand_sides, const RankPart& part,
                              PredictedCost alone) {
  if (part.ranks == 1) return alone;
  const auto n = static_cast<double>(size.unknowns);
  constexpr double entry_bytes = sizeof(Complex);
  PredictedCost cost = alone;
  cost.fill_s *= part.share;
  cost.solve_s *= part.share;
  if (method.solver == SolverChoice::direct) {
    constexpr auto width = static_cast<double>(SharedLdlt::default_width);
    const double panels = n / width;
    cost.factor_s *= part.share;
    // The matrix is dealt out; of each panel, half of the rows on average, W and L.
    cost.factor_s += broadcast_seconds(entry_bytes * n * n / 2, part.ranks) +
                     panels * broadcast_seconds(entry_bytes * n * width, part.ranks);
    cost.solve_s +=
        right_hand_sides * 2 * panels * sum_seconds(entry_bytes * width, part.ranks);
    return cost;
  }
  const double products =
      cost.iterations * (method.solver == SolverChoice::cg ? 2 : 1) + 2;
  cost.solve_s += right_hand_sides * products * sum_seconds(entry_bytes * n, part.ranks);
  return cost;
}

}  // namespace thinwire
