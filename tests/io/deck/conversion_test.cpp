// Tests what a reader makes of decks of other programs: decimal commas, cards behind the
// last run.
#include "io/deck/conversion.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "deck_testing.h"

namespace thinwire::deck_testing {
namespace {

constexpr const char* wire = "CE\nGW 1 9 0 0 5 0 0 10 .001\nGE 1\n";

Read read_as(const std::string& text, const DeckReading& reading) {
  Read result;
  result.problem = read_deck(text, "t.nec", result.warnings, {}, {}, reading);
  return result;
}

TEST(DeckConversion, ReadsDecimalCommasThatAWireShows) {
  const auto points = read(
      "CE\nGW 1 9 0,0 0 -1,25 0 0 1.25 1,0e-3\nGE\nEX 0 1 5 0 1,5 0,0\n"
      "FR 0 1 0 0 14,2\nXQ\nEN\n");
  ASSERT_EQ(points.error, "");
  const Segment& last = points.problem.structure.segments()[8];
  EXPECT_EQ(last.end_m, (Vec3{0, 0, 1.25}));
  EXPECT_EQ(last.radius_m, 1e-3);
  EXPECT_EQ(points.problem.runs[0].frequency_hz[0], 14.2e6);
  EXPECT_EQ(points.warnings, std::vector<std::string>{
                                 "t.nec:2: GW has decimal commas ('0,0'); those of all "
                                 "cards are read as points."});
  // Too few fields between blanks for a wire: the commas may separate.
  EXPECT_NE(read("CE\nGW 1 9 0,0 0,5 0,0 1,0 .001\nGE\nEX 0 1 5\nXQ\nEN\n").error, "");
  // No wire shows what they are.
  EXPECT_NE(read("CE\nGW 1 9 0 0 0 0 0 1 .001\nGE\nEX 0 1 5\nFR 0 1 0 0 14,2\nXQ\nEN\n")
                .error.find("decimal comma"),
            std::string::npos);
}

TEST(DeckConversion, UsesCardsBehindTheLastRunAsXnec2cDoes) {
  const std::string deck = std::string(wire) +
                           "EX 0 1 5 0 1\nRP 0 1 1 0 45\nFR 0 1 0 0 14.2\n"
                           "GN 2 0 0 0 13 .005\nEN\n";
  const auto moved = read(deck);
  ASSERT_EQ(moved.error, "");
  ASSERT_EQ(moved.problem.runs.size(), 1U);
  EXPECT_EQ(moved.problem.runs[0].frequency_hz[0], 14.2e6);
  EXPECT_EQ(moved.problem.runs[0].ground.relative_permittivity, 13);
  const std::string place =
                        " stands behind the last XQ, RP, NE or NH, where NEC-2 ignores "
                        "it. ",
                    used =
                        "It is used, as in xnec2c and 4nec2, which read all cards first.";
  EXPECT_EQ(moved.warnings, (std::vector<std::string>{"t.nec:6: FR" + place + used,
                                                      "t.nec:7: GN" + place + used}));

  for (const DeckReading& reading :
       {DeckReading{Dialect::nec2}, DeckReading{Dialect::automatic, false, true}}) {
    const auto kept = read_as(deck, reading);
    EXPECT_EQ(kept.problem.runs[0].ground, Ground::none);
    EXPECT_EQ(kept.problem.runs[0].frequency_hz[0], 299.8e6);
    ASSERT_FALSE(kept.warnings.empty());
    EXPECT_EQ(kept.warnings[0],
              "t.nec:6: FR" + place + "Move it before them if it is meant.");
  }
}

TEST(DeckConversion, LeavesCardsOfDecksThatRunInSequence) {
  std::vector<std::string> warnings;
  const auto all = read_structures(
      std::string(wire) +
          "EX 0 1 5 0 1\nFR 0 1 0 0 14.2\nXQ\nLD 5 0 0 0 5.8e7\nXQ\nGN 1\nNX\n" + wire +
          "EX 0 1 5 0 1\nFR 0 1 0 0 3\nXQ\nRP 0 1 1\nFR 0 1 0 0 7\nGN 1\n",
      "t.nec", warnings);
  ASSERT_EQ(all.size(), 2U);
  ASSERT_EQ(all[0].runs.size(), 2U);
  for (const auto& run : all[0].runs) EXPECT_EQ(run.ground, Ground::none);
  // GN alone is new in the second structure.
  ASSERT_EQ(all[1].runs.size(), 1U);
  EXPECT_EQ(all[1].runs[0].ground, Ground::perfect);
  EXPECT_EQ(all[1].runs[0].frequency_hz[0], 3e6);
}

TEST(DeckConversion, NamesTheLinesOfTheFile) {
  EXPECT_EQ(read(std::string(wire) + "EX 0 1 5 0 1\nXQ\nGN 7\nEN\n").error,
            "t.nec:6: GN field 1 (type): expected -1 to 3, got 7.");
}

}  // namespace
}  // namespace thinwire::deck_testing
