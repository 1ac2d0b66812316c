// TL and NT, and the types of EX.
#include <gtest/gtest.h>

#include "tests/io/deck/deck_testing.h"

namespace thinwire {
namespace {

using deck_testing::control;
using deck_testing::read;
using Lines = std::vector<std::string>;

constexpr const char* run = "\nEX 0 1 5\nFR 0 1 0 0 30\nXQ";

TEST(DeckNetworks, LinesAndTwoPorts) {
  const auto r = control(
      "TL 1 5 2 4 -450 3 1e-3 2e-3 3e-3 -4e-3\nNT 1 5 0 18 1 2 -2 4 5 6\nTL 1 5 2 5 50" +
      std::string(run));
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.warnings, Lines{});
  const auto& networks = r.problem.runs.at(0).networks;
  ASSERT_EQ(networks.size(), 3u);
  EXPECT_EQ(networks[0].kind, Network::Kind::line);
  EXPECT_EQ(networks[0].segment[0], 4u);
  EXPECT_EQ(networks[0].segment[1], 12u);
  EXPECT_EQ(networks[0].impedance_ohm, 450);
  EXPECT_TRUE(networks[0].crossed);
  EXPECT_EQ(networks[0].length_m, 3);
  EXPECT_EQ(networks[0].y11_s, Complex(1e-3, 2e-3));
  EXPECT_EQ(networks[0].y22_s, Complex(3e-3, -4e-3));
  EXPECT_EQ(networks[1].kind, Network::Kind::admittance);
  EXPECT_EQ(networks[1].segment[1], 17u);
  EXPECT_EQ(networks[1].y11_s, Complex(1, 2));
  EXPECT_EQ(networks[1].y12_s, Complex(-2, 4));
  EXPECT_EQ(networks[1].y22_s, Complex(5, 6));
  // Without a length: from centre to centre, 1 m here.
  EXPECT_NEAR(networks[2].length_m, 1, 1e-12);
  EXPECT_FALSE(networks[2].crossed);
}

TEST(DeckNetworks, LinesWithLosses) {
  const auto r = control(
      "TL 1 5 2 4 50 6.6 0 0 0 0 4.2 30 0.66\nTL 1 5 2 4 -rg-58 6.6\n"
      "TL 1 5 2 4 LMR-400 10 0 0 1e10 0" +
      std::string(run));
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.warnings, Lines{});
  const auto& networks = r.problem.runs.at(0).networks;
  ASSERT_EQ(networks.size(), 3u);
  const auto loss_db = [](const Network& n, double mhz) {
    return 20 / std::log(10) * n.length_m *
           (n.loss_np_per_m[0] * std::sqrt(mhz) + n.loss_np_per_m[1] * mhz);
  };
  EXPECT_NEAR(networks[0].length_m, 10, 1e-12);
  EXPECT_NEAR(loss_db(networks[0], 30), 0.066 * 4.2, 1e-12);
  EXPECT_NEAR(loss_db(networks[0], 120), 2 * 0.066 * 4.2, 1e-12);
  // RG-58 C/U: 3.30 and 17.75 dB per 100 feet at 50 and 850 MHz (Codan).
  EXPECT_TRUE(networks[1].crossed);
  EXPECT_EQ(networks[1].impedance_ohm, 50);
  EXPECT_NEAR(networks[1].length_m, 10, 1e-12);
  EXPECT_NEAR(loss_db(networks[1], 50), 6.6 / 30.48 * 3.30, 1e-3);
  EXPECT_NEAR(loss_db(networks[1], 850), 6.6 / 30.48 * 17.75, 1e-2);
  // LMR-400: 1.5 and 2.7 dB at 150 and 450 MHz.
  EXPECT_NEAR(loss_db(networks[2], 150), 10 / 30.48 * 1.5, 0.02);
  EXPECT_NEAR(loss_db(networks[2], 450), 10 / 30.48 * 2.7, 0.02);
  EXPECT_EQ(networks[2].y22_s, Complex(1e10));

  EXPECT_EQ(
      control("TL 1 5 2 4 RG-9 6" + std::string(run)).error,
      "t.nec:5: TL field 5 (impedance or cable): the cable 'RG-9' is not known. Give "
      "one of RG-58, RG-213, RG-8X, RG-6, LMR-240, LMR-400, LMR-600, LDF4-50, or ohm "
      "here and its loss in fields 11 to 13.");
  EXPECT_EQ(
      control("TL 1 5 2 4 50 6 0 0 0 0 3" + std::string(run)).error,
      "t.nec:5: TL field 12 (frequency of the loss, MHz): must be positive and at most "
      "1e+06 (got 0).");
  EXPECT_EQ(control("TL 1 5 2 4 50 6 0 0 0 0 3 10 66" + std::string(run)).error,
            "t.nec:5: TL field 13 (velocity factor): must be positive and at most 1 (got "
            "66).");
}

TEST(DeckNetworks, Ladders) {
  const auto r =
      control("LN 1 5 2 4 S0 0 2uH 0 p1 0 0 100pF S6 200 1e-6 50pF T -2\nTL 1 5 2 4 50" +
              std::string(run));
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.warnings, Lines{});
  const auto& networks = r.problem.runs.at(0).networks;
  ASSERT_EQ(networks.size(), 2u);
  EXPECT_EQ(networks[0].kind, Network::Kind::ladder);
  EXPECT_EQ(networks[0].segment[1], 12u);
  const auto& branches = networks[0].branches;
  ASSERT_EQ(branches.size(), 4u);
  EXPECT_EQ(branches[0].place, LadderBranch::Place::series);
  EXPECT_EQ(branches[0].part.kind, Load::Kind::series_rlc);
  EXPECT_NEAR(branches[0].part.value[1], 2e-6, 1e-18);
  EXPECT_EQ(branches[1].place, LadderBranch::Place::shunt);
  EXPECT_EQ(branches[1].part.kind, Load::Kind::parallel_rlc);
  EXPECT_NEAR(branches[1].part.value[2], 1e-10, 1e-22);
  EXPECT_EQ(branches[2].part.kind, Load::Kind::trap);
  EXPECT_EQ(branches[3].place, LadderBranch::Place::transformer);
  EXPECT_EQ(branches[3].part.value[0], -2);

  for (const auto& [fields, error] :
       {std::pair{"",
                  "field 5 (branch): is missing. Give at least one, such as S0 0 2uH 0."},
        {" S5 1",
         "field 5 (branch): expected S (in series) or P (across) with a type of LD, "
         "such as S0 or P1, or T (transformer); got 'S5'."},
        {" T 0",
         "field 6 (ratio of turns): must be 1e-6 to 1e6, negative where reversed (got "
         "0)."},
        {" P6 0 1e-6 1e-12",
         "field 6 (value): must be positive (got 0). Give ohm, henry and farad, or the Q "
         "of a "
         "trap's coil, henry and farad."}})
    EXPECT_EQ(control("LN 1 5 2 4" + std::string(fields) + run).error,
              "t.nec:5: LN " + std::string(error));
}

TEST(DeckNetworks, OnTheSegmentOfAGapAreWarnedOf) {
  const auto r = control("EX 5 1 5\nTL 1 5 2 5 50\nFR 0 1 0 0 30\nXQ");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.warnings,
            (Lines{"t.nec:8: a network connects over segment 5 of tag 1, in series with "
                   "the gap (EX 5) at its start, as in NEC-2. Use EX 0 for a source in "
                   "parallel with the network."}));
  EXPECT_EQ(control("EX 5 1 5\nTL 1 4 2 5 50\nFR 0 1 0 0 30\nXQ").warnings, Lines{});
}

TEST(DeckNetworks, StayUntilTheNextGroupOfThem) {
  const auto r = control(
      "TL 1 5 2 5 50\nPT -1\nNT 1 5 2 5\nEX 0 1 5\nFR 0 1 0 0 30\nXQ\nEX 0 2 5\nXQ\n"
      "NT 1 1 2 1\nXQ\nTL 0 -1\nXQ");
  ASSERT_EQ(r.error, "");
  ASSERT_EQ(r.problem.runs.size(), 4u);
  EXPECT_EQ(r.problem.runs[0].networks.size(), 2u);
  EXPECT_EQ(r.problem.runs[1].networks.size(), 2u);
  EXPECT_EQ(r.problem.runs[2].networks.size(), 1u);
  EXPECT_EQ(r.problem.runs[3].networks.size(), 0u);
  EXPECT_EQ(
      r.warnings,
      (Lines{"t.nec:13: NT starts a new group of networks: the 2 before are (lines 5 "
             "to 7) dropped, as in NEC-2. Put TL and NT cards behind one another to "
             "have all of them."}));
}

TEST(DeckNetworks, AnotherCardBetweenDropsTheFirst) {
  const auto r = control("TL 1 5 2 5 50\nEX 0 1 5\nTL 1 4 2 4 50\nFR 0 1 0 0 30\nXQ");
  ASSERT_EQ(r.problem.runs.at(0).networks.size(), 1u);
  EXPECT_EQ(r.problem.runs[0].networks[0].segment[0], 3u);
  EXPECT_EQ(
      r.warnings,
      (Lines{"t.nec:7: TL starts a new group of networks: the one before is (line 5) "
             "dropped, as in NEC-2. Put TL and NT cards behind one another to have "
             "all of them."}));
}

TEST(DeckNetworks, AreCancelledByTagZeroAlone) {
  for (const std::string card : {"TL", "NT"}) {
    const auto with = [&](const std::string& fields) {
      return control("NT 1 1 2 1\nTL 1 5 2 5 50\n" + card + fields + run);
    };
    const auto cancelled = with(" 0 -1");
    EXPECT_EQ(cancelled.error, "");
    EXPECT_EQ(cancelled.warnings, Lines{});
    EXPECT_TRUE(cancelled.problem.runs.at(0).networks.empty());
    for (const char* fields : {" 2 -1 1 6 50 3", " 1 -1", " 0 -2"})
      EXPECT_NE(
          with(fields).error.find("t.nec:7: " + card + " field 2 (segment of end 1"),
          std::string::npos)
          << with(fields).error;
  }
}

TEST(DeckNetworks, NodesOfNec5AreRefusedOnEveryCardThatNamesSegments) {
  const std::pair<const char*, int> cards[] = {
      {"TL 2 -1 1 6 50 3", 2}, {"TL 1 6 2 -1 50 3", 4},  {"NT 2 -1 1 6", 2},
      {"NT 1 6 2 -1", 4},      {"EX 0 1 -1 0 1", 3},     {"EX 4 1 -1 0 1", 3},
      {"EX 5 1 -1 0 1", 3},    {"EX 6 1 -1 0 1", 3},     {"LD 4 1 -1 0 50", 3},
      {"LD 4 1 1 -1 50", 4},   {"IS 0 1 -1 0 2 0 1", 3}, {"PT 0 1 -1", 3},
      {"PQ 0 1 -1", 3},        {"CP 1 -1 2 1", 2},       {"CP 1 1 2 -1", 4}};
  for (const auto& [card, field] : cards) {
    const std::string error = control(card + std::string(run)).error;
    EXPECT_EQ(error.rfind(std::string("t.nec:5: ") + std::string(card).substr(0, 2) +
                              " field " + std::to_string(field) + " (",
                          0),
              0u)
        << error;
    EXPECT_NE(error.find("use --dialect nec5 if this is one."), std::string::npos)
        << error;
  }
}

TEST(DeckNetworks, ThatCanGivePowerAreWarnedOf) {
  const auto warnings = [](const std::string& card) {
    const auto r = control(card + run);
    EXPECT_EQ(r.error, "");
    return r.warnings;
  };
  EXPECT_EQ(
      warnings("NT 1 5 2 1 0 -.0202 0 .02949 -1 -.02949"),
      (Lines{"t.nec:5: NT is an active network: it can give power to the antenna, and R "
             "may be negative (the real part of its admittances has the eigenvalue -1 S; "
             "none of a passive network is below 0). Check the signs of fields 5 to 10 "
             "and their order."}));
  // A mutual conductance beyond what those at the ends allow; and shunts of a line.
  for (const char* active : {"NT 1 5 2 1 1 0 2 0 1 0", "NT 1 5 2 1 -1e-3",
                             "TL 1 5 2 5 50 1 -1e-6", "TL 1 5 2 5 50 1 0 0 -1"})
    EXPECT_EQ(warnings(active).size(), 1u) << active;
  for (const char* passive :
       {"NT 1 5 2 1 1 9 1 9 1 9", "NT 1 5 2 1", "NT 1 5 2 1 0 0 0 1 0 0",
        "NT 1 5 1 5 0 0 1 0 0 0", "NT 1 5 2 1 .02 0 -.02 0 .0199999", "TL 1 5 2 5 -50",
        "TL 1 5 2 5 50 1 1e10"})
    EXPECT_EQ(warnings(passive), Lines{}) << passive;
}

TEST(DeckNetworks, LoadsThatCanGivePowerAreWarnedOf) {
  for (int type = 0; type <= 4; ++type) {
    const auto r = control("LD " + std::to_string(type) + " 1 5 5 -10 1e-6" + run);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(
        r.warnings,
        (Lines{"t.nec:5: LD is an active load: its resistance is negative (-10), and it "
               "gives power to the antenna. Check field 5."}))
        << type;
  }
}

TEST(DeckNetworks, TooMany) {
  DeckLimits limits;
  limits.networks = 2;
  std::string deck = "CE\nGW 1 9 0 0 1 0 0 5 .001\nGE\n";
  for (int i = 0; i < 3; ++i) deck += "NT 1 1 1 2\n";
  EXPECT_EQ(read(deck, limits).error,
            "t.nec:6: NT would be one network too many (limit 2).");
}

TEST(DeckSources, CurrentsAndGaps) {
  const auto r = control(
      "EX 6 1 5 0 2 -1\nEX 5 1 2 0 3\nEX 4 2 5 0 0.5\nEX 6 2 1\nFR 0 1 0 0 30\nXQ");
  ASSERT_EQ(r.error, "");
  const auto& sources = r.problem.runs.at(0).sources;
  ASSERT_EQ(sources.size(), 4u);
  EXPECT_EQ(sources[0].current_a, Complex(2, -1));
  EXPECT_EQ(sources[1].gap, Gap::start);
  EXPECT_EQ(sources[1].voltage_v, Complex(3, 0));
  EXPECT_FALSE(sources[1].current_a);
  EXPECT_EQ(sources[2].current_a, Complex(0.5, 0));
  EXPECT_EQ(sources[3].current_a, Complex(1, 0));
  EXPECT_EQ(
      r.warnings,
      (Lines{"t.nec:7: EX names a segment and is read as NEC-5's current source on it. "
             "NEC-2's elementary source in space leaves fields 2 and 3 blank."}));
}

TEST(DeckSources, GapsWhereWiresMeet) {
  const std::string wires =
      "CE\nGW 1 5 0 0 1 0 0 2 .001\nGW 2 5 0 0 2 1 0 2 .001\n%GE\nEX 5 2 1\n"
      "FR 0 1 0 0 30\nXQ\nEN\n";
  const auto with = [&](const std::string& third) {
    return read(std::string(wires).replace(wires.find('%'), 1, third));
  };
  EXPECT_EQ(with("").error, "");
  EXPECT_EQ(
      with("").warnings,
      (Lines{"t.nec:5: EX is a gap at a bend; NEC-2 requires both segments in line."}));
  EXPECT_EQ(
      with("GW 3 5 0 0 2 0 1 2 .001\n").error,
      "t.nec:6: EX is a gap at the start of its segment, where 3 wires meet. Use EX "
      "0, or a segment whose start joins one other.");
  // A foot on the ground is no free end.
  EXPECT_EQ(read("CE\nGW 1 5 0 0 0 0 0 2 .001\nGE 1\nGN 1\nEX 5 1 1\nFR 0 1 0 0 "
                 "30\nXQ\nEN\n")
                .error,
            "");
}

TEST(DeckSources, PlaneWaves) {
  const auto r = control(
      "EX 2 3 2 0 10 20 30 5 7 0.5\nFR 0 1 0 0 30\nXQ\nEX 1 0 0 0 90 0 0 0 0 0.25\nXQ\n"
      "EX 0 1 5\nXQ");
  ASSERT_EQ(r.error, "");
  ASSERT_EQ(r.problem.runs.size(), 3u);
  const IncidentWaves& waves = r.problem.runs[0].waves.value();
  EXPECT_EQ(waves.first.kind, IncidentWave::Kind::right_elliptic);
  EXPECT_EQ(waves.count(), 6u);
  EXPECT_EQ(waves.first.theta_deg, 10);
  EXPECT_EQ(waves.first.phi_deg, 20);
  EXPECT_EQ(waves.first.eta_deg, 30);
  EXPECT_EQ(waves.theta_step_deg, 5);
  EXPECT_EQ(waves.phi_step_deg, 7);
  EXPECT_EQ(waves.first.axial_ratio, 0.5);
  EXPECT_EQ(r.problem.runs[1].waves.value().first.kind, IncidentWave::Kind::linear);
  EXPECT_EQ(r.problem.runs[1].waves->count(), 1u);
  EXPECT_EQ(r.problem.runs[1].waves->first.axial_ratio, 0);
  EXPECT_FALSE(r.problem.runs[2].waves);
  EXPECT_EQ(r.problem.runs[2].sources.size(), 1u);
  EXPECT_EQ(
      r.warnings,
      (Lines{"t.nec:8: EX is a linear wave: field 10 (axial ratio) is ignored. EX 2 "
             "is right-hand, EX 3 left-hand elliptic."}));
}

TEST(DeckSources, PlaneWavesComeAlone) {
  const Lines dropped = {
      "t.nec:6: EX drops the EX cards before it (line 5): a plane wave comes alone, as "
      "in NEC-2. Put an XQ or RP card between them to have both, one after the other."};
  const auto source = control("EX 1 1 1\nEX 0 1 5\nFR 0 1 0 0 30\nXQ");
  ASSERT_EQ(source.error, "");
  EXPECT_EQ(source.warnings, dropped);
  EXPECT_FALSE(source.problem.runs.at(0).waves);
  EXPECT_EQ(source.problem.runs[0].sources.size(), 1u);
  for (const char* first : {"EX 0 1 5", "EX 2 1 1"}) {
    const auto wave = control(std::string(first) + "\nEX 3 1 1 0 30\nFR 0 1 0 0 30\nXQ");
    ASSERT_EQ(wave.error, "") << first;
    EXPECT_EQ(wave.warnings, dropped) << first;
    EXPECT_TRUE(wave.problem.runs.at(0).sources.empty()) << first;
    EXPECT_EQ(wave.problem.runs[0].waves.value().first.kind,
              IncidentWave::Kind::left_elliptic)
        << first;
  }
}

TEST(DeckRuns, ReceivingPatternsNeedAWave) {
  const auto r =
      control("EX 1 1 1\nFR 0 1 0 0 30\nPT 3 1 5 5\nXQ\nEX 0 1 5\nXQ\nPL 3 1 0 4\nXQ");
  ASSERT_EQ(r.error, "");
  ASSERT_EQ(r.problem.runs.size(), 2u);
  EXPECT_EQ(r.problem.runs[0].listing.current.mode, 3);
  EXPECT_EQ(r.problem.runs[0].listing.current.first, 4u);
  EXPECT_EQ(r.problem.runs[1].listing.current.mode, 0);
  EXPECT_EQ(r.warnings,
            (Lines{"t.nec:10: PT 1 to 3 need a plane wave (EX 1 to 3): the currents are "
                   "listed as by PT 0.",
                   "t.nec:11: PL writes no plot file: use -o (HDF5) or --csv."}));
}

TEST(DeckWaves, FromBelowTheGroundAreRefused) {
  const auto over = [](const std::string& cards) {
    return read("CE\nGW 1 9 -2 0 2 2 0 2 .001\nGE 0\n" + cards +
                "\nFR 0 1 0 0 30\nXQ\nEN");
  };
  EXPECT_EQ(over("GN 1\nEX 1 4 1 0 60 0 90 15").error,
            "t.nec:5: a plane wave from theta = 105 degrees comes from below the ground "
            "(EX 1 to 3). Keep theta within 90 degrees, or use GN -1 (free space).");
  // Once for the card, however many cards execute it.
  EXPECT_EQ(over("GN 1\nEX 1 1 1 0 105\nXQ").error,
            "t.nec:5: a plane wave from theta = 105 degrees comes from below the ground "
            "(EX 1 to 3). Keep theta within 90 degrees, or use GN -1 (free space).");
  EXPECT_EQ(over("GN 1\nEX 1 3 1 0 60 0 90 15").error, "");
  EXPECT_EQ(over("GN -1\nEX 1 4 1 0 60 0 90 15").error, "");
}

}  // namespace
}  // namespace thinwire
