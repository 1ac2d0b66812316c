#include "kernels/base/grouped.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace thinwire {
namespace {

TEST(RunningSum, IsThatOfTheValuesBefore) {
  // Fewer values than a thread takes at once, as many, and one more.
  for (const std::size_t count : {0u, 1u, 1000u, 65536u, 65537u, 300'000u}) {
    const LargeVector<std::size_t> first =
        running_sum(count, [](std::size_t i) { return i % 3; });
    ASSERT_EQ(first.size(), count + 1);
    // 0 1 2 0 1 2: three of them are 3.
    for (std::size_t i = 0; i <= count; ++i)
      ASSERT_EQ(first[i], i / 3 * 3 + (i % 3 == 2 ? 1 : 0)) << i;
  }
}

TEST(Grouped, HoldsNumbersInAscendingOrderByTheirKey) {
  for (const std::size_t groups : {1u, 7u, 5000u}) {
    std::mt19937 random(1);
    std::uniform_int_distribution<std::uint32_t> any(0, groups - 1);
    std::vector<std::uint32_t> keys(100'000);
    for (std::uint32_t& key : keys) key = any(random);
    const Grouped grouped(keys, groups + 1);
    std::vector<std::vector<std::uint32_t>> right(groups + 1);
    for (std::size_t i = 0; i < keys.size(); ++i)
      right[keys[i]].push_back(static_cast<std::uint32_t>(i));
    ASSERT_EQ(grouped.groups(), groups + 1);
    for (std::size_t g = 0; g <= groups; ++g) {
      const auto of = grouped.of(g);
      ASSERT_EQ(std::vector<std::uint32_t>(of.begin(), of.end()), right[g]);
    }
  }
}

TEST(Grouped, OfNothing) {
  const Grouped grouped({}, 2);
  EXPECT_EQ(grouped.groups(), 2u);
  EXPECT_TRUE(grouped.of(1).empty());
}

}  // namespace
}  // namespace thinwire
