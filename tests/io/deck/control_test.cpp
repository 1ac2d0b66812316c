// The runs that a deck asks for. Where a test says "as nec2c", its listing of the same
// cards shows the same blocks (tests/golden/deck_reader.md has the command).
#include <gtest/gtest.h>

#include "tests/io/deck/deck_testing.h"

namespace thinwire {
namespace {

using deck_testing::control;
using deck_testing::read;
using Start = Run::Start;

const std::vector<double> mhz_30 = {30e6};

TEST(DeckRuns, FrequenciesByAdditionAndMultiplication) {
  auto r = control("EX 0 1 5 0 1\nFR 0 3 0 0 28 1\nXQ");
  ASSERT_EQ(r.problem.runs.size(), 1u);
  EXPECT_EQ(r.problem.runs[0].frequency_hz, (std::vector<double>{28e6, 29e6, 30e6}));
  r = control("EX 0 1 5 0 1\nFR 1 3 0 0 30 1.5\nXQ");  // as nec2c: 30, 45, 67.5 MHz
  EXPECT_EQ(r.problem.runs.at(0).frequency_hz, (std::vector<double>{30e6, 45e6, 67.5e6}));
  r = control("EX 0 1 5 0 1\nFR 0 0 0 0 30 1\nXQ");
  EXPECT_EQ(r.problem.runs.at(0).frequency_hz, mhz_30);
  EXPECT_EQ(r.warnings.size(), 0u);
}

TEST(DeckRuns, DefaultFrequencyAsNec2c) {
  const auto r = control("EX 0 1 5 0 1\nXQ");
  EXPECT_EQ(r.problem.runs.at(0).frequency_hz, (std::vector<double>{299.8e6}));
  EXPECT_EQ(r.warnings, (std::vector<std::string>{
                            "t.nec:6: no FR card is in force: the frequency is NEC-2's "
                            "299.8 MHz."}));
}

TEST(DeckRuns, XqAgainDoesNothingAsNec2c) {
  const auto r = control("EX 0 1 5 0 1\nFR 0 1 0 0 30\nXQ\nXQ\nPT 0 1 2 3\nXQ");
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.problem.runs.size(), 1u);
}

TEST(DeckRuns, PatternsOfOneSolutionShareARun) {
  const auto r =
      control("EX 0 1 5 0 1\nFR 0 1 0 0 30\nRP 0 3 1 1000\nRP 0 4 1 1000\nXQ 2");
  ASSERT_EQ(r.problem.runs.size(), 1u);
  const auto& patterns = r.problem.runs[0].patterns;
  ASSERT_EQ(patterns.size(), 3u);
  EXPECT_EQ(patterns[0].theta_count, 3);
  EXPECT_EQ(patterns[1].theta_count, 4);
  for (const PatternRequest& p : patterns) EXPECT_FALSE(p.last_frequency_only);
}

TEST(DeckRuns, SecondPatternAfterALoopIsForItsLastFrequencyAsNec2c) {
  const auto r = control("EX 0 1 5 0 1\nFR 0 3 0 0 30 1\nRP 0 2 2 1000\nRP 0 3 1 1000");
  ASSERT_EQ(r.problem.runs.size(), 1u);
  ASSERT_EQ(r.problem.runs[0].patterns.size(), 2u);
  EXPECT_FALSE(r.problem.runs[0].patterns[0].last_frequency_only);
  EXPECT_TRUE(r.problem.runs[0].patterns[1].last_frequency_only);
}

TEST(DeckRuns, ChangesAfterALoopRunAtItsLastFrequencyAsNec2c) {
  const auto r = control(
      "EX 0 1 5 0 1\nFR 0 3 0 0 30 1\nXQ\nEX 0 2 5 0 1\nXQ\nLD 4 1 5 5 10\n"
      "XQ\nEK\nXQ\nGN 1\nFR 0 2 0 0 20 1");
  ASSERT_EQ(r.problem.runs.size(), 4u);
  EXPECT_EQ(r.problem.runs[0].start, Start::frequency);
  EXPECT_EQ(r.problem.runs[1].start, Start::excitation);
  EXPECT_EQ(r.problem.runs[2].start, Start::environment);
  EXPECT_EQ(r.problem.runs[3].start, Start::environment);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(r.problem.runs[i].frequency_hz, (std::vector<double>{32e6}));
    EXPECT_EQ(r.problem.runs[i].sources.at(0).segment, 13u);
  }
  EXPECT_FALSE(r.problem.runs[2].extended_kernel);
  EXPECT_TRUE(r.problem.runs[3].extended_kernel);
}

TEST(DeckRuns, FrequencyAgainRunsAgainAsNec2c) {
  const auto r = control("EX 0 1 5 0 1\nFR 0 1 0 0 30\nXQ\nFR 0 1 0 0 30\nXQ");
  ASSERT_EQ(r.problem.runs.size(), 2u);
  EXPECT_EQ(r.problem.runs[1].start, Start::frequency);
  EXPECT_EQ(r.problem.runs[1].frequency_hz, mhz_30);
}

TEST(DeckRuns, LastFrequencyCardBeforeTheRunCounts) {
  const auto r = control("EX 0 1 5 0 1\nFR 0 1 0 0 20\nFR 0 1 0 0 30\nXQ");
  EXPECT_EQ(r.problem.runs.at(0).frequency_hz, mhz_30);
}

TEST(DeckRuns, GroundComesAndGoes) {
  const auto r = read(
      "CE\nGW 1 9 0 0 1 0 0 5 .001\nGE -1\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nGN 1\nRP 0 2 1 "
      "1000\n"
      "GN -1\nRP 0 2 1 1000\nEN\n");
  ASSERT_EQ(r.error, "");
  ASSERT_EQ(r.problem.runs.size(), 2u);
  EXPECT_EQ(r.problem.runs[0].ground, Ground::perfect);
  EXPECT_EQ(r.problem.runs[1].ground, Ground::none);
  EXPECT_EQ(r.problem.runs[1].patterns.size(), 1u);
}

TEST(DeckRuns, DeckWithoutXqIsRunAllTheSame) {
  const auto r = control("EX 0 1 5 0 1\nFR 0 1 0 0 30");
  EXPECT_EQ(r.problem.runs.size(), 1u);
  EXPECT_EQ(r.warnings,
            (std::vector<std::string>{
                "t.nec: no XQ or RP card; the deck is run as if XQ stood at its end."}));
  const auto nothing = control("FR 0 1 0 0 30");
  EXPECT_EQ(nothing.problem.runs.size(), 0u);
  EXPECT_EQ(
      nothing.warnings,
      (std::vector<std::string>{"t.nec: no XQ or RP card: the deck computes nothing."}));
}

TEST(DeckRuns, NxAtTheEndIsEn) {
  const auto r = read(
      "CE\nGW 1 9 0 0 1 0 0 5 .001\nGE\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nXQ\nNX\n"
      "# nothing\n");
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.warnings.size(), 0u);
  EXPECT_EQ(r.problem.runs.size(), 1u);
}

TEST(DeckSources, GroupsAsNec2c) {
  auto r = control(
      "FR 0 1 0 0 30\nEX 0 1 5 0 1 2\nPT -1\nEX 0 2 5 0 3\nXQ\nEX 0 0 12 0 1\nXQ");
  ASSERT_EQ(r.problem.runs.size(), 2u);
  ASSERT_EQ(r.problem.runs[0].sources.size(), 2u);
  EXPECT_EQ(r.problem.runs[0].sources[0].segment, 4u);
  EXPECT_EQ(r.problem.runs[0].sources[0].voltage_v, (Complex{1, 2}));
  EXPECT_EQ(r.problem.runs[0].sources[1].segment, 13u);
  ASSERT_EQ(r.problem.runs[1].sources.size(), 1u);
  EXPECT_EQ(r.problem.runs[1].sources[0].segment, 11u);
  EXPECT_EQ(r.warnings.size(), 0u);
  for (const char* between : {"EK", "GN -1", "FR 0 1 0 0 30", "LD -1"}) {
    r = control("EX 0 1 5 0 1\n" + std::string(between) +
                "\nEX 0 2 5 0 1\nFR 0 1 0 0 30\nXQ");
    ASSERT_EQ(r.problem.runs.at(0).sources.size(), 1u) << between;
    EXPECT_EQ(r.problem.runs[0].sources[0].segment, 13u);
    EXPECT_EQ(
        r.warnings.at(0),
        "t.nec:7: EX starts a new group of sources; that of line 5 is dropped, as in "
        "NEC-2. Put EX cards behind one another to drive several segments at once.");
  }
}

TEST(DeckSources, ZeroVoltageIsOneVoltAsNec2c) {
  auto r = control("FR 0 1 0 0 30\nEX 0 1 5 0 0 0\nXQ");
  EXPECT_EQ(r.problem.runs.at(0).sources.at(0).voltage_v, Complex(1));
  EXPECT_EQ(
      r.warnings,
      (std::vector<std::string>{"t.nec:6: EX voltage 0 is taken as 1 V, as in NEC-2."}));
  r = control("FR 0 1 0 0 30\nEX 0 1 5\nXQ");
  EXPECT_EQ(r.problem.runs.at(0).sources.at(0).voltage_v, Complex(1));
  EXPECT_EQ(r.warnings.size(), 0u);
}

using Range = std::pair<std::size_t, std::size_t>;
std::vector<Range> loaded(const Run& run) {
  std::vector<Range> ranges;
  for (const Load& load : run.loads) ranges.emplace_back(load.first, load.last);
  return ranges;
}

TEST(DeckLoads, RangesOfTagsAndSegments) {
  const auto range = [](const std::string& card) {
    const auto r = control("FR 0 1 0 0 30\nEX 0 1 5\n" + card + "\nXQ");
    EXPECT_EQ(r.error, "");
    return loaded(r.problem.runs.at(0));
  };
  EXPECT_EQ(range("LD 4 0 0 0 1"), (std::vector<Range>{{0, 17}}));
  EXPECT_EQ(range("LD 4 2 0 0 1"), (std::vector<Range>{{9, 17}}));
  EXPECT_EQ(range("LD 4 2 3 5 1"), (std::vector<Range>{{11, 13}}));
  EXPECT_EQ(range("LD 4 2 3 0 1"), (std::vector<Range>{{11, 11}}));
  EXPECT_EQ(range("LD 4 0 8 11 1"), (std::vector<Range>{{7, 10}}));
}

TEST(DeckLoads, SegmentsBehindTheLastAreLeftOutAsInNec2) {
  const auto r = control("LD 4 1 8 20 10\nLD 4 0 18 99 10\nLD 4 2 10 0 1\nEX 0 1 5\nXQ");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(loaded(r.problem.runs.at(0)), (std::vector<Range>{{7, 8}, {17, 17}}));
  EXPECT_EQ(r.warnings[0],
            "t.nec:5: LD field 4 (last segment): tag 1 has 9 segments, and those behind "
            "them are left out (got 20), as in NEC-2.");
  EXPECT_EQ(r.warnings[2],
            "t.nec:7: LD has no effect, as in NEC-2: tag 2 has 9 segments (got 10).");
}

TEST(DeckLoads, ScatteredTagMakesSeveralLoads) {
  const auto r = read(
      "CE\nGW 1 2 0 0 0 0 0 1 .001\nGW 2 1 1 0 0 1 0 1 .001\nGW 1 2 2 0 0 2 0 1 "
      ".001\nGE\n"
      "FR 0 1 0 0 30\nEX 0 1 1\nLD 4 1 2 3 7\nXQ\nEN\n");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(loaded(r.problem.runs[0]), (std::vector<Range>{{1, 1}, {3, 3}}));
  ASSERT_EQ(r.problem.runs[0].load_cards.size(), 1u);
  EXPECT_EQ(r.problem.runs[0].load_cards[0].first, 2);
}

TEST(DeckLoads, KindsAndValues) {
  const auto r = control(
      "FR 0 1 0 0 30\nEX 0 1 5\nLD 0 1 1 1 1 2 3\nLD 1 1 2 2\nLD 2 1 3 3\nLD 3 1 4 4\n"
      "LD 4 1 5 5 50 -25\nLD 5 1 6 6 5.8e7 2\nXQ");
  ASSERT_EQ(r.error, "");
  const std::vector<Load>& loads = r.problem.runs.at(0).loads;
  ASSERT_EQ(loads.size(), 6u);
  const Load::Kind kinds[] = {Load::Kind::series_rlc,
                              Load::Kind::parallel_rlc,
                              Load::Kind::series_rlc_per_metre,
                              Load::Kind::parallel_rlc_per_metre,
                              Load::Kind::impedance,
                              Load::Kind::conductivity};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(loads[i].kind, kinds[i]);
  EXPECT_EQ(loads[0].value[2], 3);
  EXPECT_EQ(loads[4].value[1], -25);
  EXPECT_EQ(loads[5].value[0], 5.8e7);
}

TEST(DeckLoads, TrapsAndSheaths) {
  const auto r = control(
      "FR 0 1 0 0 30\nEX 0 1 5\nLD 6 1 5 5 100 1e-6 2e-12\nLD 7 2 3 9 2.3 .002\n"
      "IS 0 1 0 0 3 1e-4 .003\nXQ\nIS 0 2 1 2 4 0 .005\nXQ\nIS -1\nXQ");
  ASSERT_EQ(r.error, "");
  ASSERT_EQ(r.warnings.size(), 0u);
  const std::vector<Load>& loads = r.problem.runs.at(0).loads;
  ASSERT_EQ(loads.size(), 3u);
  EXPECT_EQ(loads[0], (Load{Load::Kind::trap, 4, 4, {100, 1e-6, 2e-12}}));
  EXPECT_EQ(loads[1], (Load{Load::Kind::insulation, 11, 17, {2.3, 0, .002}}));
  EXPECT_EQ(loads[2], (Load{Load::Kind::insulation, 0, 8, {3, 1e-4, .003}}));
  EXPECT_EQ(r.problem.runs.at(1).loads.size(), 4u);  // IS cards add up,
  EXPECT_EQ(r.problem.runs.at(2).loads.size(), 2u);  // and IS -1 leaves LD alone
}

TEST(DeckLoads, TrapsWithoutQualityHaveThatOf4nec2) {
  const auto r = control("FR 0 1 0 0 30\nEX 0 1 5\nLD 6 1 5 5 0 1uH 2pF\nXQ");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.warnings,
            (std::vector<std::string>{
                "t.nec:7: LD has no quality of its coil: 100 is used, as in 4nec2."}));
  EXPECT_EQ(r.problem.runs.at(0).loads.at(0),
            (Load{Load::Kind::trap, 4, 4, {100, 1e-6, 2e-12}}));
}

TEST(DeckLoads, TrapsWithAFrequencyAreWhat4nec2MakesOfThem) {
  // 4nec2 5.8 writes LD 1 81 1 1 8.83821e4 7.36464e-5 7.e-12 of the first trap for NEC-2.
  const auto r = control(
      "FR 0 1 0 0 30\nEX 0 1 5\nLD 6 1 5 5 100 73.639uH 7pF 1.91\nLD 6 1 5 5 100 "
      "73.639uH 7pF 0\nXQ");
  ASSERT_EQ(r.error, "");
  const Load& load = r.problem.runs.at(0).loads.at(0);
  EXPECT_EQ(load.kind, Load::Kind::parallel_rlc);
  EXPECT_NEAR(load.value[0], 8.83821e4, 0.5);
  EXPECT_NEAR(load.value[1], 7.36464e-5, 5e-11);
  EXPECT_EQ(load.value[2], 7e-12);
  EXPECT_EQ(r.problem.runs.at(0).loads.at(1).kind, Load::Kind::trap);
}

TEST(DeckCoupling, CardsThatFollowOneAnotherAddUp) {
  const std::string each = "EX 0 1 5\nXQ\nEX 0 2 5\nXQ\nEX 0 2 1\nXQ";
  auto r = control("FR 0 1 0 0 30\nCP 1 5 2 5\nCP 2 1\n" + each);
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.warnings.size(), 0u);
  EXPECT_EQ(r.problem.runs.at(2).coupling_segments, (std::vector<std::size_t>{4, 13, 9}));
  r = control("FR 0 1 0 0 30\nCP 2 5 1 5\nCP 2 1\n" + each);
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_EQ(r.warnings[0],
            "t.nec:7: CP computes nothing: give EX 0 and XQ for each of its segments "
            "alone, in its order, behind it.");
  EXPECT_EQ(control("CP 1 1 1 2\nCP 1 3 1 4\nCP 1 5 1 6").error,
            "t.nec:7: CP names a segment too many (limit 5).");
}

TEST(DeckStructures, EachIsADeckOfItsOwn) {
  const std::string
      one = "CE\nSY r=.001\nGW 1 9 0 0 0 0 0 1 r\nGE\nFR 0 1 0 0 30\nEX 0 1 5\nXQ\n",
      two = "CM second\nCE\nGW 7 3 0 0 0 0 0 1 .002\nGE\nEX 0 7 2\nXQ\n";
  std::vector<std::string> warnings;
  const auto all = read_structures(one + "NX\n" + two + "NX\n\nEN\n", "t.nec", warnings);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].structure.segments().size(), 9u);
  EXPECT_EQ(all[1].structure.segments().size(), 3u);
  EXPECT_EQ(all[1].structure.origin(0), "t.nec:11");
  EXPECT_EQ(all[0].deck_text, one + "NX\n");
  EXPECT_EQ(all[1].comments.at(0), "second");
  EXPECT_EQ(all[1].runs.at(0).frequency_hz.at(0), 299.8e6);  // FR is forgotten
  EXPECT_EQ(deck_testing::read(one + "NX\n" + two).error,
            "t.nec: holds 2 structures (NX), where one is wanted. Choose one with "
            "--structure 1 to 2.");
  // Symbols are forgotten, too; lines are counted on.
  EXPECT_EQ(deck_testing::read(one + "NX\nCE\nGW 1 9 0 0 0 0 0 1 r\nGE\nEN\n")
                .error.substr(0, 11),
            "t.nec:10: G");
}

TEST(DeckLoads, SayWhereTheirValuesAreReadInMoreThanOneWay) {
  const auto warned = [](const std::string& card) {
    return control("FR 0 1 0 0 30\nEX 0 1 5\n" + card + "\nXQ").warnings;
  };
  ASSERT_EQ(warned("LD 2 1 3 3 5 1e-9 1e-12").size(), 1u);
  EXPECT_NE(warned("LD 3 1 3 3 0 0 1e-12")[0].find("each segment C times its length"),
            std::string::npos);
  ASSERT_EQ(warned("LD 5 1 3 3 5.8e7 2").size(), 1u);
  EXPECT_NE(warned("LD 5 1 3 3 5.8e7 2")[0].find("relative permeability (2)"),
            std::string::npos);
  for (const char* card :
       {"LD 2 1 3 3 5 1e-9", "LD 3 1 3 3 5 1e-9", "LD 0 1 3 3 5 1e-9 1e-12",
        "LD 5 1 3 3 5.8e7", "LD 5 1 3 3 5.8e7 1"})
    EXPECT_TRUE(warned(card).empty()) << card;
}

TEST(DeckLoads, GroupsAsNec2c) {
  auto r =
      control("FR 0 1 0 0 30\nEX 0 1 5\nLD 4 1 5 5 10\nXQ\nLD 4 1 5 5 20\nXQ\nLD -1\nXQ");
  ASSERT_EQ(r.problem.runs.size(), 3u);
  EXPECT_EQ(r.problem.runs[0].loads.at(0).value[0], 10);
  ASSERT_EQ(r.problem.runs[1].loads.size(), 1u);
  EXPECT_EQ(r.problem.runs[1].loads[0].value[0], 20);
  EXPECT_EQ(r.problem.runs[2].loads.size(), 0u);
  EXPECT_EQ(r.problem.runs[2].load_cards.size(), 0u);
  EXPECT_EQ(r.warnings.size(), 0u);
  r = control("FR 0 1 0 0 30\nLD 4 1 5 5 10\nEX 0 1 5\nLD 4 2 5 5 20\nXQ");
  EXPECT_EQ(loaded(r.problem.runs.at(0)), (std::vector<Range>{{13, 13}}));
  EXPECT_EQ(r.warnings,
            (std::vector<std::string>{
                "t.nec:8: LD starts a new group of loads; that of line 6 is "
                "dropped, as in NEC-2. Put LD cards behind one another to have "
                "all of them."}));
  // The guide lets LD -1 cancel what came before, within a group too; nec2c does not.
  r = control("FR 0 1 0 0 30\nEX 0 1 5\nLD 4 1 5 5 10\nLD -1\nLD 4 2 5 5 20\nXQ");
  EXPECT_EQ(loaded(r.problem.runs.at(0)), (std::vector<Range>{{13, 13}}));
  EXPECT_EQ(r.warnings, (std::vector<std::string>{
                            "t.nec:8: LD cancels loads before any run has used them: "
                            "those from line 7 on."}));
}

/// A wire, its mirror image (tag 11), and the given cards from line 5 on.
deck_testing::Read symmetric(const std::string& cards) {
  return read("CE\nGW 1 4 1 0 0 2 0 0 .001\nGX 10 100\nGE\n" + cards +
              "\nFR 0 1 0 0 30\nEX 0 1 1\nXQ\nEN\n");
}

TEST(DeckLoads, SymmetricStructuresAreLoadedAlike) {
  auto r = symmetric("LD 4 1 2 2 50");
  EXPECT_EQ(loaded(r.problem.runs.at(0)), (std::vector<Range>{{1, 1}, {5, 5}}));
  EXPECT_EQ(r.warnings, (std::vector<std::string>{
                            "t.nec:5: LD holds for all 2 symmetric parts that GX or "
                            "GR made, as in NEC-2."}));
  r = symmetric("LD 4 1 2 2 50\nLD 4 11 2 2 50");
  EXPECT_EQ(loaded(r.problem.runs.at(0)), (std::vector<Range>{{1, 1}, {5, 5}}));
  EXPECT_EQ(
      r.warnings.at(1),
      "t.nec:6: LD repeats what the symmetry of GX or GR gives already, and is ignored "
      "as in NEC-2.");
  r = symmetric("LD 5 0 0 0 5.8e7");
  EXPECT_EQ(loaded(r.problem.runs.at(0)), (std::vector<Range>{{0, 3}, {4, 7}}));
  EXPECT_EQ(r.warnings.size(), 0u);
  EXPECT_EQ(
      symmetric("LD 4 11 2 2 50").error,
      "t.nec:5: LD loads segment 6, which GX or GR made: on a symmetric structure NEC-2 "
      "takes loads on its first 4 segments only, for all its parts alike. Put GX 0 0 "
      "before GE to load the parts one by one.");
}

TEST(DeckLoads, SymmetryEndsWithGx00) {
  const auto r = read(
      "CE\nGW 1 4 1 0 0 2 0 0 .001\nGX 10 100\nGX 0 0\nGE\nFR 0 1 0 0 30\n"
      "EX 0 1 1\nLD 4 11 2 2 50\nXQ\nEN\n");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(loaded(r.problem.runs[0]), (std::vector<Range>{{5, 5}}));
}

TEST(DeckPatterns, FieldsOfRp) {
  const auto r = control("FR 0 1 0 0 30\nEX 0 1 5\nRP 0 19 37 1312 10 20 5 10 1000 3.5");
  ASSERT_EQ(r.error, "");
  const PatternRequest& p = r.problem.runs.at(0).patterns.at(0);
  EXPECT_EQ(p.theta_count, 19);
  EXPECT_EQ(p.phi_count, 37);
  EXPECT_EQ(p.theta_start_deg, 10);
  EXPECT_EQ(p.phi_start_deg, 20);
  EXPECT_EQ(p.theta_step_deg, 5);
  EXPECT_EQ(p.phi_step_deg, 10);
  EXPECT_EQ(p.distance_m, 1000);
  EXPECT_EQ(p.gain_normal_dbi, 3.5);
  EXPECT_TRUE(p.vertical_horizontal);
  EXPECT_EQ(p.normalised, 3);
  EXPECT_TRUE(p.directive);
  EXPECT_EQ(p.average, 2);
}

TEST(DeckPatterns, BareRpIsOneDirection) {
  const auto r = control("FR 0 1 0 0 30\nEX 0 1 5\nRP 0");
  const PatternRequest& p = r.problem.runs.at(0).patterns.at(0);
  EXPECT_EQ(p.theta_count, 1);
  EXPECT_EQ(p.phi_count, 1);
  EXPECT_FALSE(p.vertical_horizontal);
}

TEST(DeckPatterns, XqAsksForCutsAsNec2c) {
  const auto cut = [](const std::string& xq) {
    return control("FR 0 1 0 0 30\nEX 0 1 5\n" + xq).problem.runs.at(0).patterns.at(0);
  };
  EXPECT_EQ(cut("XQ 1").theta_count, 91);
  EXPECT_EQ(cut("XQ 1").theta_step_deg, 1);
  EXPECT_EQ(cut("XQ 1").phi_start_deg, 0);
  EXPECT_EQ(cut("XQ 1").phi_count, 1);
  EXPECT_EQ(cut("XQ 2").phi_start_deg, 90);
  EXPECT_EQ(cut("XQ 3").phi_count, 2);
  EXPECT_EQ(cut("XQ 3").phi_step_deg, 90);
  EXPECT_FALSE(cut("XQ 3").vertical_horizontal);
}

TEST(DeckListing, CurrentsAndCharges) {
  auto r = control("FR 0 1 0 0 30\nEX 0 1 5\nXQ");
  EXPECT_EQ(r.problem.runs.at(0).listing.current.mode, -2);
  EXPECT_EQ(r.problem.runs.at(0).listing.charge.mode, -1);
  r = control(
      "FR 0 1 0 0 30\nEX 0 1 5\nPT 0 2 1 3\nPQ\nXQ\nPT -1\nPQ 0 0 4 4\nEX 0 1 5\nXQ");
  ASSERT_EQ(r.error, "");
  const ListingControl& first = r.problem.runs.at(0).listing;
  EXPECT_EQ(first.current.mode, 0);
  EXPECT_FALSE(first.current.all);
  EXPECT_EQ(first.current.first, 9u);
  EXPECT_EQ(first.current.last, 11u);
  EXPECT_EQ(first.current.tag, 2);
  EXPECT_TRUE(first.charge.all);
  EXPECT_EQ(first.charge.mode, -2);
  const ListingControl& second = r.problem.runs.at(1).listing;
  EXPECT_EQ(second.current.mode, -1);
  EXPECT_EQ(second.charge.mode, 0);
  EXPECT_EQ(second.charge.first, 3u);
  EXPECT_EQ(second.charge.last, 3u);
}

TEST(DeckControl, ExtendedKernelSwitches) {
  const auto r = control("FR 0 1 0 0 30\nEX 0 1 5\nEK\nXQ\nEK -1\nXQ");
  EXPECT_TRUE(r.problem.runs.at(0).extended_kernel);
  EXPECT_FALSE(r.problem.runs.at(1).extended_kernel);
}

/// nec2c takes whatever is not -1 for 0.
TEST(DeckControl, ExtendedKernelOneIsOn) {
  const auto r = control("FR 0 1 0 0 30\nEX 0 1 5\nEK 1\nXQ");
  EXPECT_EQ(r.error, "");
  EXPECT_TRUE(r.problem.runs.at(0).extended_kernel);
}

TEST(DeckControl, StepZeroIsTheSameFrequencyAgain) {
  const auto r = control("EX 0 1 5\nFR 0 3 0 0 30 0\nXQ");
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.problem.runs.at(0).frequency_hz, (std::vector<double>{30e6, 30e6, 30e6}));
}

TEST(DeckControl, ReferenceImpedance) {
  EXPECT_EQ(control("FR 0 1 0 0 30\nEX 0 1 5\nXQ").problem.reference_ohm, std::nullopt);
  EXPECT_EQ(control("Z0 75\nFR 0 1 0 0 30\nEX 0 1 5\nXQ").problem.reference_ohm, 75);
  // It is no change that runs again, and ends no group of sources.
  const auto r = control("FR 0 1 0 0 30\nEX 0 1 5\nZO 300\nEX 0 2 5\nXQ\nzo 450 0 0\nXQ");
  EXPECT_EQ(r.problem.reference_ohm, 450);
  ASSERT_EQ(r.problem.runs.size(), 1u);
  EXPECT_EQ(r.problem.runs[0].sources.size(), 2u);
}

TEST(DeckControl, KhIsAcceptedWithAWarning) {
  const auto r = control("FR 0 1 0 0 30\nEX 0 1 5\nKH 0 0 0 0 2\nXQ");
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.warnings, (std::vector<std::string>{
                            "t.nec:7: KH has no effect: all interactions are computed in "
                            "full."}));
}

}  // namespace
}  // namespace thinwire
