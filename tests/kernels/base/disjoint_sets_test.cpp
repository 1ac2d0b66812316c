#include "kernels/base/disjoint_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace thinwire {
namespace {

std::vector<std::size_t> roots(DisjointSets& sets) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < sets.size(); ++i) all.push_back(sets.root(i));
  return all;
}

using Roots = std::vector<std::size_t>;

TEST(DisjointSets, HaveTheirLeastElementAsRoot) {
  DisjointSets sets(7);
  EXPECT_EQ(roots(sets), (Roots{0, 1, 2, 3, 4, 5, 6}));
  sets.unite(5, 3);
  sets.unite(6, 5);
  sets.unite(4, 4);
  EXPECT_EQ(roots(sets), (Roots{0, 1, 2, 3, 4, 3, 3}));
  sets.unite(1, 2);
  sets.unite(6, 2);
  EXPECT_EQ(roots(sets), (Roots{0, 1, 1, 1, 4, 1, 1}));
  sets.unite(5, 1);
  EXPECT_EQ(roots(sets), (Roots{0, 1, 1, 1, 4, 1, 1}));
}

TEST(DisjointSets, OfNothing) {
  EXPECT_EQ(DisjointSets(0).size(), 0u);
}

// Against sets whose elements are all renamed at each union.
TEST(DisjointSets, AsByRenamingAll) {
  constexpr std::size_t count = 257;
  std::mt19937 random(1);
  std::uniform_int_distribution<std::size_t> any(0, count - 1);
  DisjointSets sets(count);
  Roots right = roots(sets);
  for (int turn = 0; turn < 300; ++turn) {
    const std::size_t i = any(random), j = any(random);
    sets.unite(i, j);
    const auto [least, other] = std::minmax({right[i], right[j]});
    std::replace(right.begin(), right.end(), other, least);
    ASSERT_EQ(sets.root(j), least);
  }
  EXPECT_EQ(roots(sets), right);
}

// Pairs in whatever order threads come to them; the elements between stay alone.
TEST(DisjointSets, UnitedByManyThreadsAreTheSame) {
  constexpr std::size_t count = 300'000;
  DisjointSets sets(2 * count);
#pragma omp parallel for schedule(dynamic, 16) num_threads(4)
  for (std::size_t i = 0; i < count; ++i) sets.unite(2 * i, 2 * ((i * 7919 + 1) % count));
  // 7919 has no common factor with count: i -> 7919 i + 1 is a permutation, whose cycles
  // the serial walk finds.
  std::vector<std::size_t> least(count, count);
  for (std::size_t start = 0; start < count; ++start)
    for (std::size_t i = start; least[i] == count; i = (i * 7919 + 1) % count)
      least[i] = start;
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(sets.root(2 * i), 2 * least[i]);
    ASSERT_EQ(sets.root(2 * i + 1), 2 * i + 1);
  }
}

// A wire whose segments come from its end backwards makes the longest chain.
TEST(DisjointSets, TakeLongChains) {
  constexpr std::size_t count = 1'000'000;
  DisjointSets sets(count);
  for (std::size_t i = count - 1; i > 0; --i) sets.unite(i, i - 1);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(sets.root(i), 0u);
}

}  // namespace
}  // namespace thinwire
