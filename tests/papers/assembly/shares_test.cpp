#include "papers/assembly/shares.h"

#include <gtest/gtest.h>

namespace thinwire {
namespace {

TEST(Shares, AreInProportionAndComplete) {
  EXPECT_EQ(distribute(100, std::vector<double>{2, 1, 1}),
            (std::vector<Share>{{0, 50}, {50, 75}, {75, 100}}));
  EXPECT_EQ(distribute(10, std::vector<double>{49, 49, 2}),
            (std::vector<Share>{{0, 5}, {5, 10}, {10, 10}}));
  EXPECT_EQ(distribute(1, std::vector<double>{0, 3}),
            (std::vector<Share>{{0, 0}, {0, 1}}));
}

TEST(Shares, ADealerGivesHalfOfTheRest) {
  const std::vector<double> rates = {300, 100};
  Dealer dealer(800, rates, 0.1);  // 31 at least for the first, 11 for the second
  EXPECT_EQ(dealer.next(0), (Share{0, 300}));
  EXPECT_EQ(dealer.next(1), (Share{300, 362}));
  std::size_t next = 362, calls = 0;
  for (Share share = dealer.next(calls % 2); share.first < share.last;
       share = dealer.next(++calls % 2)) {
    EXPECT_EQ(share.first, next);
    EXPECT_GE(share.last - share.first, std::min<std::size_t>(800 - next, 11));
    next = share.last;
  }
  EXPECT_EQ(next, 800u);
  EXPECT_LT(calls, 20u);
}

}  // namespace
}  // namespace thinwire
