#include "kernels/base/grouping.h"

#include <random>

#include <gtest/gtest.h>
#include <omp.h>

namespace thinwire {
namespace {

TEST(Grouping, KeepsTheOrderOfTheItemsWithAnyNumberOfThreads) {
  constexpr std::size_t groups = 37;
  const int threads = omp_get_max_threads();
  for (const std::size_t items : {0u, 1u, 1000u, 50000u}) {
    // An item puts 0 to 3 members.
    std::mt19937 random(3);
    std::vector<std::vector<std::uint32_t>> to(items), expected(groups);
    for (std::uint32_t i = 0; i < items; ++i)
      for (unsigned n = random() % 4; n > 0; --n) {
        to[i].push_back(random() % (groups - 1));  // the last stays empty
        expected[to[i].back()].push_back(i);
      }
    for (const int count : {1, 3}) {
      omp_set_num_threads(count);
      const Groups all = group(items, groups, [&](std::size_t i, const auto& put) {
        for (const std::uint32_t g : to[i]) put(g, static_cast<std::uint32_t>(i));
      });
      ASSERT_EQ(all.first.size(), groups + 1);
      EXPECT_EQ(all.first.back(), all.member.size());
      for (std::size_t g = 0; g < groups; ++g)
        EXPECT_EQ(std::vector<std::uint32_t>(all.member.begin() + all.first[g],
                                             all.member.begin() + all.first[g + 1]),
                  expected[g]);
    }
  }
  omp_set_num_threads(threads);
}

}  // namespace
}  // namespace thinwire
