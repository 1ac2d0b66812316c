#include "mom/plan/gpu_shares.h"

#include <gtest/gtest.h>

#include <vector>

namespace thinwire {
namespace {

using Values = std::vector<double>;

void expect_near(const Values& shares, const Values& expected) {
  ASSERT_EQ(shares.size(), expected.size());
  for (std::size_t i = 0; i < shares.size(); ++i)
    EXPECT_NEAR(shares[i], expected[i], 1e-15) << i;
}

TEST(GpuShares, FollowTheRatesWhereMemoryAllows) {
  expect_near(shares_within(Values{1, 3}, Values{1, 1}), {0.25, 0.75});
  expect_near(shares_within(Values{2}, Values{5}), {1});
}

TEST(GpuShares, WhatOneCannotTakeGoesToTheOthersByTheirRates) {
  expect_near(shares_within(Values{1, 1}, Values{0.2, 2}), {0.2, 0.8});
  expect_near(shares_within(Values{2, 1, 1}, Values{0.2, 1, 1}), {0.2, 0.4, 0.4});
  // The second reaches its cap only by what the first leaves.
  expect_near(shares_within(Values{2, 1, 1}, Values{0.2, 0.3, 1}), {0.2, 0.3, 0.5});
  expect_near(shares_within(Values{1, 1}, Values{0, 1.5}), {0, 1});
}

TEST(GpuShares, FollowMemoryWhereThereIsTooLittle) {
  expect_near(shares_within(Values{1, 1}, Values{0.2, 0.6}), {0.25, 0.75});
}

}  // namespace
}  // namespace thinwire
