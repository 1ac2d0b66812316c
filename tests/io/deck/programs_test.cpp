// Cards of other programs that NEC-2 lacks are read as those programs mean them.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/io/deck/deck_testing.h"

namespace thinwire {
namespace {

using deck_testing::control;
using Lines = std::vector<std::string>;

TEST(OtherPrograms, DigitsOfXndaBeyondTheirRangeCountAsOne) {
  const auto r = control("EX 0 1 5 0 1\nFR 0 1 0 0 30\nRP 0 1 1 2523 90");
  ASSERT_EQ(r.error, "");
  const PatternRequest& request = r.problem.runs.at(0).patterns.at(0);
  EXPECT_TRUE(request.vertical_horizontal);
  EXPECT_EQ(request.normalised, 5);
  EXPECT_TRUE(request.directive);
  EXPECT_EQ(request.average, 1);
  EXPECT_EQ(r.warnings, (Lines{"t.nec:7: RP field 4 (XNDA): X and D above 1, and A above "
                               "2, count as 1, as in NEC-2 (got 2523)."}));
}

TEST(OtherPrograms, ShortCircuitsBeyondAllNumbersKeepTheirRatios) {
  const auto r =
      control("NT 1 5 2 5 1e50 0 -5e49 0 1e50 0\nEX 0 1 5 0 1\nFR 0 1 0 0 30\nXQ");
  ASSERT_EQ(r.error, "");
  const Network& network = r.problem.runs.at(0).networks.at(0);
  EXPECT_EQ(network.y11_s, Complex(1e20));
  EXPECT_NEAR(network.y12_s.real(), -5e19, 1e5);
  EXPECT_EQ(r.warnings, (Lines{"t.nec:5: NT has a short circuit of 1e+50 S, which counts "
                               "as 1e+20 S."}));
}

TEST(OtherPrograms, FilesOfGroundTablesAreNotNeeded) {
  for (const std::string file : {"NOFILE", "somd.nec"}) {
    const auto r = control("GN 2 0 0 0 13 .005 " + file +
                           "\nEX 0 1 5 0 1\nFR 0 1 0 0 30\nRP 0 1 1 1000 45");
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.warnings, (Lines{"t.nec:5: GN names a file of ground tables ('" + file +
                                 "'), which is not needed: they are always computed."}));
  }
  EXPECT_NE(control("GN 2 0 0 0 13 sigma").error.find("expected a number"),
            std::string::npos);
}

TEST(OtherPrograms, HelixOfNec4HasTurnsAndMayBeFlat) {
  const auto read = [](const std::string& card, Dialect dialect) {
    deck_testing::Read result;
    try {
      result.problem = read_deck("CE\n" + card + "\nGE\nEX 0 1 2\nXQ\nEN\n", "t.nec",
                                 result.warnings, {}, {}, {dialect});
    } catch (const Error& error) {
      result.error = error.what();
    }
    return result;
  };
  // Two turns of Archimedes, left handed, in the plane.
  const auto flat = read("GH 1 80 -2 0 .1 .3 .001 .002 1", Dialect::nec4);
  ASSERT_EQ(flat.error, "");
  const auto& segments = flat.problem.structure.segments();
  ASSERT_EQ(segments.size(), 80u);
  EXPECT_LT(norm(segments[0].start_m - Vec3{0.1, 0, 0}), 1e-15);
  EXPECT_LT(norm(segments[10].start_m - Vec3{0, -0.125, 0}), 1e-15);
  EXPECT_LT(norm(segments[79].end_m - Vec3{0.3, 0, 0}), 1e-15);
  EXPECT_NEAR(segments[0].radius_m, 0.001, 1e-15);
  EXPECT_NEAR(segments[79].radius_m, 0.002, 1e-15);
  // Logarithmic, rising.
  const auto rising = read("GH 1 40 1 .5 .1 .4 .001 .001 0", Dialect::nec4);
  ASSERT_EQ(rising.error, "");
  EXPECT_LT(norm(rising.problem.structure.segments()[20].start_m - Vec3{-0.2, 0, 0.25}),
            1e-15);
  EXPECT_EQ(
      read("GH 1 80 2 0 .1 .3 .001", Dialect::automatic).error,
      "t.nec:2: GH field 4 (length): must not be zero (got 0 m): NEC-2 divides by "
      "it. If field 3 is the number of turns, the deck is NEC-4's: use --dialect "
      "nec4. Otherwise give a tiny length and spacing: their ratio is the number of "
      "turns.");
}

}  // namespace
}  // namespace thinwire
