#include "mom/optimize/cma_es.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

namespace thinwire {
namespace {

using Function = std::function<double(const CmaEs::Point&)>;

struct Minimum {
  CmaEs::Point point;
  double value = HUGE_VAL;
  int evaluations = 0;
};

/// Until the strategy moves by less than 1e-9.
Minimum minimum_of(const Function& f, const CmaEs::Point& start, std::size_t population,
                   std::uint64_t seed = 1) {
  CmaEs strategy(start, population, seed);
  Minimum best;
  while (strategy.spread() > 1e-9 && best.evaluations < 200'000) {
    const std::vector<CmaEs::Point> points = strategy.ask();
    std::vector<double> merits;
    for (const CmaEs::Point& point : points) {
      for (const double u : point) {
        EXPECT_GE(u, 0);
        EXPECT_LE(u, 1);
      }
      merits.push_back(f(point));
      if (merits.back() < best.value) best = {point, merits.back(), best.evaluations};
      ++best.evaluations;
    }
    strategy.tell(merits);
  }
  return best;
}

/// From -5 to 5 in each coordinate.
double wide(double u) {
  return 10 * u - 5;
}

double rosenbrock(const CmaEs::Point& u) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < u.size(); ++i) {
    const double x = wide(u[i]), next = wide(u[i + 1]);
    sum += 100 * (next - x * x) * (next - x * x) + (1 - x) * (1 - x);
  }
  return sum;
}

/// Its minimum is at 1 in each coordinate, among 10^n others.
double rastrigin(const CmaEs::Point& u) {
  double sum = 0;
  for (const double v : u) {
    const double x = wide(v) - 1;
    sum += x * x + 10 - 10 * std::cos(2 * std::numbers::pi * x);
  }
  return sum;
}

TEST(CmaEs, FollowsRosenbrocksValley) {
  const Minimum found = minimum_of(rosenbrock, CmaEs::Point(6, 0.2), 9);
  for (const double u : found.point) EXPECT_NEAR(wide(u), 1, 1e-6);
  EXPECT_LT(found.evaluations, 8000);
}

TEST(CmaEs, AdaptsToAxesOfDifferentLengthInAnyDirection) {
  // A valley a thousand times as long as wide, at an angle to all axes.
  const auto tilted = [](const CmaEs::Point& u) {
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      double along = 0;
      for (std::size_t j = 0; j < u.size(); ++j)
        along +=
            (u[j] - 0.37) * ((i == j ? 1.0 : 0.0) - 2.0 / static_cast<double>(u.size()));
      sum += along * along * std::pow(1e6, static_cast<double>(i) / 4);
    }
    return sum;
  };
  const Minimum found = minimum_of(tilted, CmaEs::Point(5, 0.9), 8);
  for (const double u : found.point) EXPECT_NEAR(u, 0.37, 1e-7);
  EXPECT_LT(found.evaluations, 5000);
}

TEST(CmaEs, FindsTheLowestOfManyMinimaWithALargePopulation) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    EXPECT_LT(minimum_of(rastrigin, CmaEs::Point(4, 0.5), 300, seed).value, 1e-8);
}

TEST(CmaEs, FindsAMinimumAtACorner) {
  const auto corner = [](const CmaEs::Point& u) { return u[0] + 3 * u[1] - u[2]; };
  const Minimum found = minimum_of(corner, {0.5, 0.5, 0.5}, default_population(3));
  EXPECT_NEAR(found.point[0], 0, 1e-7);
  EXPECT_NEAR(found.point[1], 0, 1e-7);
  EXPECT_NEAR(found.point[2], 1, 1e-7);
}

TEST(CmaEs, TakesOneVariable) {
  const auto well = [](const CmaEs::Point& u) { return std::abs(u[0] - 0.123); };
  EXPECT_NEAR(minimum_of(well, {0.9}, default_population(1)).point[0], 0.123, 1e-8);
}

TEST(CmaEs, CountsOnlyTheOrderOfMerits) {
  const auto start = CmaEs::Point(3, 0.2);
  const Minimum plain = minimum_of(rosenbrock, start, 7),
                squashed = minimum_of(
                    [](auto&u) { return std::log(1e-300 + rosenbrock(u)); }, start, 7);
  EXPECT_EQ(plain.point, squashed.point);
}

}  // namespace
}  // namespace thinwire
