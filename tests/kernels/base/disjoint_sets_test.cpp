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

// A wire whose segments come from its end backwards makes the longest chain.
TEST(DisjointSets, TakeLongChains) {
  constexpr std::size_t count = 1'000'000;
  DisjointSets sets(count);
  for (std::size_t i = count - 1; i > 0; --i) sets.unite(i, i - 1);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(sets.root(i), 0u);
}

}  // namespace
}  // namespace thinwire
