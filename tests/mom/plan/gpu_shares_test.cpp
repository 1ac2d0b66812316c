#include "mom/plan/gpus.h"

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

TEST(GpuShares, DifferencesBelowTheNoiseDoNotCount) {
  const Values alike = {1, 1, 1};
  EXPECT_EQ(steady_rates(Values{4.50e12, 4.41e12, 4.36e12}), alike);
  EXPECT_EQ(steady_rates(Values{4.38e12, 4.52e12, 4.47e12}), alike);
  EXPECT_EQ(steady_rates(Values{4.5e12, 4.25e12, 4.5e12}), alike);  // 5.6 % less
}

TEST(GpuShares, OnlyAGpuThatIsClearlySlowerGetsLess) {
  EXPECT_EQ(steady_rates(Values{4.5e12, 4.0e12}), (Values{1, 0.875}));
  // Another measurement, 3 % more or less, gives the same.
  for (const double noise : {0.97, 1.0, 1.03})
    EXPECT_EQ(steady_rates(Values{2.25e12 * noise, 4.5e12}), (Values{0.5, 1}));
  EXPECT_EQ(steady_rates(Values{1e10, 4.5e12}), (Values{0.125, 1}));
}

TEST(GpuShares, GpusThatWereNotMeasuredCountAsTheFastest) {
  EXPECT_EQ(steady_rates(Values{0, 2e12, 4e12}), (Values{1, 0.5, 1}));
  EXPECT_EQ(steady_rates(Values{0, 0}), (Values{1, 1}));
}

TEST(GpuShares, CapsAreRoundedDownWhereThatLeavesEnough) {
  EXPECT_EQ(steady_caps(Values{0.2, 1.3}), (Values{6.0 / 32, 41.0 / 32}));
  EXPECT_EQ(steady_caps(Values{0.01, 1.3}), (Values{0, 41.0 / 32}));
  EXPECT_EQ(steady_caps(Values{0.51, 0.5}), (Values{0.5, 0.5}));
  EXPECT_EQ(steady_caps(Values{0.52, 0.49}), (Values{0.52, 0.49}));
}

TEST(GpuShares, FollowMemoryWhereThereIsTooLittle) {
  expect_near(shares_within(Values{1, 1}, Values{0.2, 0.6}), {0.25, 0.75});
}

}  // namespace
}  // namespace thinwire
