#include <algorithm>
#include <cstdint>
#include <limits>

#include "mom/optimize/cma_es.h"
#include "mom/optimize/search.h"

namespace thinwire {
namespace {

/// Merit of a variant that cannot be solved: worse than all others.
constexpr double unsolved_merit = std::numeric_limits<double>::infinity();
/// Spread, in units of the variables' ranges, at which the local search that follows is
/// faster.
constexpr double near_enough = 1e-3;
/// Merits of a generation that differ by less say nothing of where to go.
constexpr double min_difference = 1e-7;

std::vector<double> merits_of(const GoalSet& goals,
                              const std::vector<Evaluator::Result>& results) {
  std::vector<double> merits;
  for (const Evaluator::Result& result : results)
    merits.push_back(result.terms ? score_of(goals, *result.terms).merit()
                                  : unsolved_merit);
  return merits;
}

}  // namespace

std::vector<Evaluator::Result> Search::evaluate_all(
    std::vector<std::vector<double>> points) {
  if (ended_) throw Ended{};
  points.resize(std::min(points.size(), limit_ - evaluations_.size()));
  std::vector<Evaluator::Result> results = evaluator_.solve_all(points);
  for (std::size_t i = 0; i < points.size() && !ended_; ++i) keep(points[i], results[i]);
  if (ended_ || evaluations_.size() >= limit_) throw Ended{};
  return results;
}

void Search::run_cma_es(const std::vector<double>& start) {
  try {
    (void)evaluate(start, false);
    std::size_t population = default_population(start.size());
    std::vector<double> from = start;
    // Each time twice as many (A. Auger, N. Hansen, CEC 2005): these see the larger
    // valleys.
    for (std::uint64_t restart = 0;; ++restart, population *= 2) {
      const std::uint64_t seed = 1 + 1000 * std::uint64_t{number_} + restart;
      if (restart > 0) from = random_point(start.size(), seed);
      CmaEs strategy(from, population, seed);
      while (strategy.spread() > std::max(resolution_, near_enough)) {
        const std::vector<double> merits =
            merits_of(evaluator_.goals(), evaluate_all(strategy.ask()));
        const auto [best, worst] = std::ranges::minmax(merits);
        // Where all have failed the difference is not a number.
        if (!(worst - best >= min_difference)) break;
        strategy.tell(merits);
      }
    }
  } catch (const Ended&) {
  }
}

}  // namespace thinwire
