#include "kernels/fill/wavenumber_nodes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "kernels/base/constants.h"

namespace thinwire {
namespace {

/// An octave, and what a near pair of an array of dipoles of 21 segments reaches.
constexpr double first = pi, last = 2 * pi, reach_m = 0.12;

TEST(WavenumberNodes, TabulateWhereMoreFrequenciesAreAskedForThanNodes) {
  const std::size_t nodes = WavenumberNodes({first, last, 1000}, reach_m).size();
  EXPECT_GT(nodes, 3u);
  EXPECT_LT(nodes, 10u);
  // To integrate at a node costs what it costs at a frequency.
  EXPECT_TRUE(WavenumberNodes({first, last, 1}, reach_m).empty());
  EXPECT_TRUE(WavenumberNodes({first, last, nodes}, reach_m).empty());
  EXPECT_EQ(WavenumberNodes({first, last, nodes + 1}, reach_m).size(), nodes);
}

/// Runs at one frequency with other loads fill the matrix anew.
TEST(WavenumberNodes, OneFrequencyAskedForAgainIsIntegratedOnce) {
  EXPECT_TRUE(WavenumberNodes({last, last, 1}, reach_m).empty());
  const WavenumberNodes again({last, last, 2}, reach_m);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again.k_rad_per_m()[0], last);
  EXPECT_EQ(again.weights(last), std::vector<double>{1.0});
}

TEST(WavenumberNodes, InterpolateAWaveOverTheReach) {
  const WavenumberNodes nodes({first, last, 1000}, reach_m);
  const auto wave = [](double k) { return std::polar(1.0, -k * reach_m); };
  for (double k = first; k <= last; k += (last - first) / 97) {
    const std::vector<double> weight = nodes.weights(k);
    ASSERT_EQ(weight.size(), nodes.size());
    std::complex<double> sum = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n)
      sum += weight[n] * wave(nodes.k_rad_per_m()[n]);
    EXPECT_LT(std::abs(sum - wave(k)), 1e-9) << k;
  }
}

TEST(WavenumberNodes, AreNoneWhereTheReachIsBeyondAllMeasure) {
  for (const double reach_m : {1e4, 4e9, 1e300})
    EXPECT_TRUE(WavenumberNodes({2.9, 3.1, 21}, reach_m).empty()) << reach_m;
}

TEST(WavenumberNodes, LeaveRangesTooWideForTheirDigits) {
  EXPECT_FALSE(WavenumberNodes({0.011 * last, last, 1000}, reach_m).empty());
  EXPECT_TRUE(WavenumberNodes({0.009 * last, last, 1000}, reach_m).empty());
}

}  // namespace
}  // namespace thinwire
