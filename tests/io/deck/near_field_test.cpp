// NE and NH. Where a test says "as nec2c", its listing of the same cards shows the same
// tables in the same order (tests/golden/deck_reader.md has the command).
#include <gtest/gtest.h>

#include "tests/io/deck/deck_testing.h"

namespace thinwire {
namespace {

using deck_testing::control;
using Field = NearFieldRequest::Field;
using Grid = NearFieldRequest::Grid;

const std::string one = "EX 0 1 5 0 1\nFR 0 1 0 0 30\n";
const std::string loop = "EX 0 1 5 0 1\nFR 0 3 0 0 30 1\n";

TEST(DeckNearField, FieldsOfTheCard) {
  const auto r =
      control(one + "NE 0 3 4 5 -1 -2 -3 .1 .2 .3\nNH 1 2 3 4 1 10 20 .5 30 40");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.warnings.size(), 0u);
  const auto& fields = r.problem.runs.at(0).near_fields;
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields[0].field, Field::electric);
  EXPECT_EQ(fields[0].grid, Grid::rectangular);
  EXPECT_EQ(fields[1].field, Field::magnetic);
  EXPECT_EQ(fields[1].grid, Grid::spherical);
  const double start[] = {-1, -2, -3}, step[] = {.1, .2, .3};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(fields[0].count[i], 3 + i);
    EXPECT_EQ(fields[0].start[i], start[i]);
    EXPECT_EQ(fields[0].step[i], step[i]);
  }
}

TEST(DeckNearField, RunsAtOnceAsNec2c) {
  const auto r = control(one + "NE 0 1 1 1 3\nNE 0 1 1 1 4\nRP 0 2 1 1000\nNH 0 1 1 1 3");
  ASSERT_EQ(r.problem.runs.size(), 1u);
  const thinwire::Run& run = r.problem.runs[0];
  ASSERT_EQ(run.near_fields.size(), 3u);
  EXPECT_EQ(run.near_fields[0].patterns_before, 0u);
  EXPECT_EQ(run.near_fields[1].patterns_before, 0u);
  EXPECT_EQ(run.near_fields[2].patterns_before, 1u);
  EXPECT_EQ(run.near_fields[1].start[0], 4);
  EXPECT_EQ(run.patterns.size(), 1u);
  EXPECT_EQ(r.warnings.size(), 0u);
}

TEST(DeckNearField, ChangesStartANewRunAsNec2c) {
  const auto r =
      control(one + "NE 0 1 1 1 3\nEX 0 2 5 0 1\nNH 0 1 1 1 3\nFR 0 1 0 0 31\nXQ");
  ASSERT_EQ(r.problem.runs.size(), 3u);
  EXPECT_EQ(r.problem.runs[0].near_fields.at(0).field, Field::electric);
  EXPECT_EQ(r.problem.runs[1].near_fields.at(0).field, Field::magnetic);
  EXPECT_EQ(r.problem.runs[2].near_fields.size(), 0u);
}

TEST(DeckNearField, WaitsForTheLoopOverFrequenciesAsNec2c) {
  for (const std::string end : {"XQ", "RP 0 2 1 1000", "XQ 1", "PT -1\nXQ"}) {
    const auto r = control(loop + "NE 0 1 1 1 3\n" + end);
    ASSERT_EQ(r.problem.runs.size(), 1u) << end;
    const thinwire::Run& run = r.problem.runs[0];
    EXPECT_EQ(run.frequency_hz.size(), 3u);
    ASSERT_EQ(run.near_fields.size(), 1u);
    EXPECT_FALSE(run.near_fields[0].last_frequency_only);
    EXPECT_EQ(run.near_fields[0].patterns_before, 0u);
    EXPECT_EQ(r.warnings.size(), 0u);
  }
}

TEST(DeckNearField, StaysInForceUntilTheLoopRuns) {
  const auto r =
      control(loop + "NE 0 1 1 1 3\nLD 4 1 1 1 10\nRP 0 2 1 1000\nEX 0 2 5 0 1\nXQ");
  ASSERT_EQ(r.problem.runs.size(), 2u);
  EXPECT_EQ(r.problem.runs[0].near_fields.size(), 1u);
  EXPECT_EQ(r.problem.runs[0].loads.size(), 1u);
  EXPECT_EQ(r.problem.runs[1].near_fields.size(), 0u);
}

TEST(DeckNearField, OnlyTheLastBeforeALoopCountsAsNec2c) {
  const auto r = control(loop + "NE 0 1 1 1 3\nNH 0 1 1 1 3\nXQ");
  ASSERT_EQ(r.problem.runs.size(), 1u);
  ASSERT_EQ(r.problem.runs[0].near_fields.size(), 1u);
  EXPECT_EQ(r.problem.runs[0].near_fields[0].field, Field::magnetic);
  EXPECT_EQ(r.warnings,
            (std::vector<std::string>{
                "t.nec:7: NE is dropped: before a loop over frequencies only the last NE "
                "or NH counts (line 8), as in NEC-2. Repeat the loop for the other."}));
}

TEST(DeckNearField, AfterALoopItIsForTheLastFrequencyAsNec2c) {
  const auto r = control(loop + "RP 0 2 1 1000\nNE 0 1 1 1 3\nNH 0 1 1 1 3");
  ASSERT_EQ(r.problem.runs.size(), 1u);
  const auto& fields = r.problem.runs[0].near_fields;
  ASSERT_EQ(fields.size(), 2u);
  for (const NearFieldRequest& request : fields) {
    EXPECT_TRUE(request.last_frequency_only);
    EXPECT_EQ(request.patterns_before, 1u);
  }
}

TEST(DeckNearField, NoPointsIsNoneAsXnec2cWritesIt) {
  auto r = control(loop + "NH 0 0 0 0\nNE 0 1 1 1 3\nRP 0 2 1 1000");
  EXPECT_EQ(r.warnings.size(), 0u);
  ASSERT_EQ(r.problem.runs.at(0).near_fields.size(), 1u);
  EXPECT_EQ(r.problem.runs[0].near_fields[0].field, Field::electric);
  r = control("NE 0 0 0 0\nNH 0 0 0 0\n" + one + "XQ");
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.problem.runs.at(0).near_fields.size(), 0u);
  r = control(one + "NE 0 0 3 3\nXQ");
  EXPECT_EQ(r.warnings,
            (std::vector<std::string>{"t.nec:7: NE asks for no points: one of its counts "
                                      "(fields 2 to 4) is 0."}));
}

TEST(DeckNearField, WithoutARunForItWarns) {
  const auto r = control(one + "XQ\nFR 0 2 0 0 30 1\nNE 0 1 1 1 3");
  EXPECT_EQ(r.problem.runs.size(), 1u);
  EXPECT_EQ(
      r.warnings,
      (std::vector<std::string>{"t.nec:9: NE computes nothing: no XQ or RP follows."}));
  const auto alone = control(loop + "NE 0 1 1 1 3");  // run as if XQ stood at its end
  EXPECT_EQ(alone.problem.runs.at(0).near_fields.size(), 1u);
}

TEST(DeckNearField, RefusesWhatHasNoMeaning) {
  const auto error = [](const std::string& card) { return control(one + card).error; };
  EXPECT_EQ(error("NE 2 1 1 1"),
            "t.nec:7: NE field 1 (coordinates): expected 0 (rectangular) or 1 "
            "(spherical), got 2.");
  EXPECT_EQ(error("NH -1 1 1 1"),
            "t.nec:7: NH field 1 (coordinates): expected 0 (rectangular) or 1 "
            "(spherical), got -1.");
  EXPECT_NE(error("NE 0 1 -1 1").find("field 3 (points along y)"), std::string::npos);
  EXPECT_NE(error("NE 1 1 1 1 0 0 x").find("field 7 (first theta)"), std::string::npos);
  EXPECT_EQ(error("NE 0 2000000000 2000000000 2000000000"),
            "t.nec:7: NE asks for 2000000000 x 2000000000 x 2000000000 points (limit "
            "10000000). Use fewer.");
  EXPECT_NE(error("NE 0 3 1 1 0 0 0 1e9").find("must be within 1e+09"),
            std::string::npos);
  EXPECT_NE(control("FR 0 1 0 0 30\nNE 0 1 1 1").error.find("nothing is excited"),
            std::string::npos);
}

}  // namespace
}  // namespace thinwire
