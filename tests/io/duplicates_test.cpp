// Segments in the place of others: one wire, shown twice.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "geometry/advice.h"
#include "io/deck/deck.h"
#include "mom/solve.h"

namespace thinwire {
namespace {

Problem problem_of(const std::string& more, const std::string& cards) {
  std::vector<std::string> warnings;
  return read_deck("CE\nGW 1 11 0 0 -.25 0 0 .25 .001\n" + more +
                       "GW 9 7 .2 0 -.2 .2 .1 .2 .001\nGE\n" + cards +
                       "FR 0 1 0 0 299.8\nXQ\nEN\n",
                   "t.nec", warnings);
}

Solution solved(const std::string& more, const std::string& cards) {
  return solve(problem_of(more, cards), {});
}

const std::string upper_half = "GW 2 5 0 0 .02272727272727 0 0 .25 .001\n",
                  upper_half_down = "GW 2 5 0 0 .25 0 0 .02272727272727 .001\n",
                  fed = "EX 0 1 6 0 1\n";

TEST(Duplicates, ChangeNothingAndShowTheCurrentOfTheirOriginal) {
  const FrequencyResult once = solved("", fed).frequencies.at(0);
  for (const bool down : {false, true}) {
    const Solution solution = solved(down ? upper_half_down : upper_half, fed);
    const FrequencyResult& twice = solution.frequencies.at(0);
    EXPECT_EQ(twice.ports.at(0).impedance_ohm, once.ports.at(0).impedance_ohm);
    ASSERT_EQ(twice.segment_current_a.size(), once.segment_current_a.size() + 5);
    for (std::size_t s = 0; s < 5; ++s) {
      const Complex original = once.segment_current_a[6 + s];
      EXPECT_EQ(twice.segment_current_a[11 + (down ? 4 - s : s)],
                down ? -original : original);
      EXPECT_EQ(twice.segment_current_a[6 + s], original);
    }
    const auto advice =
        serious_advice(problem_of(down ? upper_half_down : upper_half, fed).structure, 1);
    ASSERT_EQ(advice.size(), 2u);
    EXPECT_EQ(advice[1], "... and 4 more: segments in one place");
    EXPECT_EQ(advice[0],
              std::string("tag 2 segment ") +
                  "1 (t.nec:3) is the same piece of wire as " +
                  (down ? "tag 1 segment 11" : "tag 1 segment 7") +
                  " (t.nec:2): it is left out, and shown with the other's current");
  }
}

TEST(Duplicates, LoadsCountOnceWhicheverSegmentTheyName) {
  const auto impedance = [](const std::string& more, const std::string& cards) {
    return solved(more, cards + fed).frequencies.at(0).ports.at(0).impedance_ohm;
  };
  const Complex one = impedance("", "LD 4 1 8 8 50 20\n"),
                wire = impedance("", "LD 5 1 0 0 1e6\nLD 5 9 0 0 1e6\n");
  EXPECT_EQ(impedance(upper_half, "LD 4 1 8 8 50 20\n"), one);
  EXPECT_LT(std::abs(impedance(upper_half, "LD 4 2 2 2 50 20\n") - one), 1e-9);
  EXPECT_LT(std::abs(impedance(upper_half_down, "LD 4 2 4 4 50 20\n") - one), 1e-9);
  EXPECT_LT(std::abs(impedance(upper_half, "LD 4 1 8 8 50 20\nLD 4 2 2 2 50 20\n") - one),
            1e-9);
  EXPECT_EQ(impedance(upper_half, "LD 5 0 0 0 1e6\n"), wire);
}

TEST(Duplicates, SourcesFeedTheOriginal) {
  const Complex z =
      solved("", "EX 0 1 8 0 1\n").frequencies.at(0).ports.at(0).impedance_ohm;
  const PortResult port =
      solved(upper_half, "EX 0 2 2 0 1\n").frequencies.at(0).ports.at(0);
  EXPECT_LT(std::abs(port.impedance_ohm - z), 1e-6);
  EXPECT_EQ(port.tag, 1);
  EXPECT_EQ(port.segment, 8);
  EXPECT_THROW(solved(upper_half, "EX 0 1 8 0 1\nEX 0 2 2 0 1\n"), Error);
  EXPECT_THROW(solved(upper_half_down, "EX 0 2 2 0 1\n"), Error);
}

}  // namespace
}  // namespace thinwire
