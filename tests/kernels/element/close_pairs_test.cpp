#include "kernels/element/close_pairs.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace thinwire {
namespace {

TEST(ClosePairs, AreThoseThatAllPairsGive) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  constexpr std::uint32_t count = 400;
  std::vector<Vec3> at, mirrored;
  std::vector<double> reach;
  for (std::uint32_t i = 0; i < count; ++i) {
    at.push_back(
        {3 * unit(random), 3 * unit(random), i % 3 == 0 ? 0.2 * unit(random) : 0});
    mirrored.push_back({at[i].x, at[i].y, -at[i].z});
    // From reaches that find next to nothing to one that finds all.
    reach.push_back(0.005 * std::pow(10, 2 * unit(random)));
  }
  reach[7] = std::numeric_limits<double>::infinity();
  for (const auto& first : {at, mirrored}) {
    const auto keep = [&](std::uint32_t p, std::uint32_t q) {
      return norm(first[p] - at[q]) < reach[p] + reach[q];
    };
    const ElementPairs pairs = close_pairs(first, at, reach, keep);
    std::size_t expected = 0;
    for (std::uint32_t p = 0; p < count; ++p) {
      std::vector<std::uint32_t> row;
      for (std::uint32_t q = 0; q <= p; ++q)
        if (keep(p, q)) row.push_back(q);
      expected += row.size();
      EXPECT_TRUE(
          std::equal(row.begin(), row.end(), pairs.of(p).begin(), pairs.of(p).end()));
    }
    EXPECT_EQ(pairs.second.size(), expected);
    EXPECT_GT(expected, count + 500u);
  }
}

/// As of wires so thick that no far rule holds for them.
TEST(ClosePairs, AreAllPairsWhereAllReachInfinitelyFar) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::size_t count : {1u, 60u}) {
    std::vector<Vec3> at;
    for (std::size_t i = 0; i < count; ++i)
      at.push_back({0.1 * static_cast<double>(i * i), 0, 0});
    const ElementPairs pairs =
        close_pairs(at, at, std::vector<double>(count, infinity),
                    [](std::uint32_t, std::uint32_t) { return true; });
    EXPECT_EQ(pairs.second.size(), count * (count + 1) / 2);
  }
}

TEST(AxisDistance, IsTheSmallestOverPointsOfBoth) {
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    const auto element = [&] {
      Vec3 t{normal(random), normal(random), normal(random)};
      if (trial % 4 == 0) t = {0, 0, normal(random) < 0 ? -1.0 : 1.0};
      return Element{{normal(random), normal(random), normal(random)},
                     (1 / norm(t)) * t,
                     0.1 + std::fabs(normal(random)),
                     0.001};
    };
    const Element p = element(), q = element();
    double smallest = 1e9;
    for (int i = 0; i <= 200; ++i)
      for (int j = 0; j <= 200; ++j)
        smallest =
            std::min(smallest, norm(p.start_m + i / 200.0 * p.length_m * p.tangent -
                                    q.start_m - j / 200.0 * q.length_m * q.tangent));
    EXPECT_LE(axis_distance(p, q), smallest + 1e-12);
    EXPECT_GE(axis_distance(p, q), smallest - 0.01 * (p.length_m + q.length_m));
  }
}

}  // namespace
}  // namespace thinwire
