// Every refusal behind GE, with its whole message.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "tests/io/deck/deck_testing.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using deck_testing::control;
using deck_testing::read;

/// The cards start on line 5.
TEST(DeckRefusal, NotSupportedYet) {
  const std::pair<const char*, const char*> cases[] = {
      {"EX 4 0 0 0 1 2 3",
       "EX 4 (elementary current source in space) is not supported. Use EX 6 for a "
       "current source on a segment, or EX 1 for a plane wave."},
      {"UM 0 0 0 0 4 .1",
       "UM (surrounding medium of NEC-4) is not supported. Only free space surrounds the "
       "wires."},
      {"GN 2 4 0 0 13 .005",
       "GN field 2 (radials): a screen of radial wires is for GN 0 only, as in NEC-2. "
       "Use "
       "GN 0, or draw the radials as wires above the ground or in it."},
      {"GN 2 0 0 0 0.5",
       "GN field 5 (relative permittivity): must be between 1 and 10000 (got 0.5). Soil "
       "has 3 to 30, water 80."},
      {"GN 2 0 0 0 13 .005 0.5",
       "GN field 7 (relative permittivity): must be between 1 and 10000 (got 0.5). Soil "
       "has 3 to 30, water 80."},
      {"GN 1 4", "GN field 2 (radials): a screen of radial wires is for GN 0 only."},
  };
  for (const auto& [cards, message] : cases) {
    EXPECT_EQ(control(cards).error, std::string("t.nec:5: ") + message);
  }
}

TEST(DeckRefusal, GeometryNotSupportedYet) {
  const std::pair<const char*, const char*> cases[] = {
      {"SP 0 0 .1 .05 .05 0 0 .01",
       "SP (surface patch) is not supported. Read it as a grid of wires with --patches "
       "grid, or draw one (GW)."},
      {"SM 4 4",
       "SM (multiple surface patches) is not supported. Read it as a grid of wires "
       "with --patches grid, or draw one (GW)."},
      {"SC 0 0",
       "SC (surface patch, continued) is not supported. Read it as a grid of wires "
       "with --patches grid, or draw one (GW)."},
      {"CW 1 1",
       "CW (catenary wire of NEC-4) is not supported. Draw the wire with GW cards."},
  };
  for (const auto& [cards, message] : cases) {
    EXPECT_EQ(read("CE\n" + std::string(cards) + "\nGE\nEN\n").error,
              std::string("t.nec:2: ") + message);
  }
}

TEST(DeckRefusal, ValuesThatHaveNoMeaning) {
  const std::pair<const char*, const char*> cases[] = {
      {"EX 8", "EX field 1 (type): expected 0 to 7, got 8."},
      {"EX 0 3 1", "EX tag 3 does not exist (no segment carries it)."},
      {"EX 0 1 10", "EX segment 10 of tag 1 does not exist (the tag has 9 segments)."},
      {"EX 0 0 19", "EX segment 19 does not exist (the structure has 18 segments)."},
      {"EX 0 1 0", "EX segment numbers count from 1 (got 0)."},
      {"EX 0 -1 1", "EX field 2 (tag): must not be negative (got -1)."},
      {"EX 0 1 5 0 1e31", "EX voltage must be within 1e30 V (got 1e+31 + 0j V)."},
      {"EX 6 1 5 0 1e31", "EX current must be within 1e30 A (got 1e+31 + 0j A)."},
      {"EX 5 1 1",
       "EX is a gap at the start of its segment, which is a free end. Use EX 0, or the "
       "next segment."},
      {"EX 1 -1", "EX field 2 (number of theta angles): must not be negative (got -1)."},
      {"EX 1 1000 1000",
       "EX asks for 1000 x 1000 waves (limit 100000). Use fewer angles."},
      {"EX 1 1 1 0 1e7",
       "EX field 5 (first theta): must be within 1e6 degrees (got 10000000)."},
      {"EX 2 1 1 0 90 0 0 0 0 1.5",
       "EX field 10 (axial ratio): minor over major axis must lie between 0 and 1 (got "
       "1.5)."},
      {"TL 1 5 2 5 0 1",
       "TL field 5 (impedance): must not be 0, nor beyond 1e30 ohm (got 0). Give the "
       "line's characteristic impedance; a negative one crosses the line."},
      {"TL 1 5 2 5 50 1e10",
       "TL field 6 (length): must be at most 1e+09 m (got 10000000000 m)."},
      {"TL 1 5 2 5 50 1 1e101",
       "TL field 7 (shunt conductance at end 1): admittances must be within 1e100 S (got "
       "1e+101 + 0j S)."},
      {"NT 1 5 2 5 1 0 1e50",
       "NT Y12 must be within 1e+20 S where it is larger than Y11 and Y22 (got 1e+50 + "
       "0j "
       "S)."},
      {"TL 1 0 2 5 50", "TL segment numbers count from 1 (got 0)."},
      {"NT 1 5 2 10", "NT segment 10 of tag 2 does not exist (the tag has 9 segments)."},
      {"NT 1 5 -2 1", "NT field 3 (tag of end 2): must not be negative (got -2)."},
      {"FR 0 1 0 0 -30",
       "FR frequencies must be between 1e-12 and 1e+12 MHz (got -30 MHz "
       "at step 1 of 1)."},
      {"FR 0 1 0 0 1e-308",
       "FR frequencies must be between 1e-12 and 1e+12 MHz (got 1e-308 MHz at step 1 of "
       "1)."},
      {"FR 0 1",
       "FR frequencies must be between 1e-12 and 1e+12 MHz (got 0 MHz at step 1 "
       "of 1)."},
      {"FR 0 3 0 0 30 -15",
       "FR frequencies must be between 1e-12 and 1e+12 MHz (got 0 MHz "
       "at step 3 of 3)."},
      {"FR 1 3 0 0 30",
       "FR field 6 (step): must be positive for several frequencies (got 0)."},
      {"FR 2 3 0 0 30",
       "FR field 1 (stepping): expected 0 (linear) or 1 (multiplicative), "
       "got 2."},
      {"FR 0 -3 0 0 30",
       "FR field 2 (number of frequencies): must not be negative (got -3)."},
      {"FR 0 2147483647 0 0 30 1",
       "the runs of the deck hold more than 4000000 frequencies, sources, loads and "
       "patterns "
       "in all. Split the deck."},
      {"LD 8", "LD field 1 (type): expected -1 to 7, got 8."},
      {"LD 4 3 0 0 1", "LD field 2 (tag): tag 3 does not exist (no segment carries it)."},
      {"LD 4 1 5 3 1",
       "LD fields 3 and 4 (first and last segment): expected 1 <= first <= "
       "last, got 5 and 3."},
      {"LD 4 1 0 3 1",
       "LD fields 3 and 4 (first and last segment): expected 1 <= first <= "
       "last, got 0 and 3."},
      {"LD 5 1 0 0 0", "LD field 5 (conductivity): must be positive (got 0 S/m)."},
      {"LD 5 1 0 0 1e7 -1",
       "LD field 6 (relative permeability): must not be negative (got "
       "-1)."},
      {"LD 6 1 5 5 100 1e-6 -1e-12",
       "LD field 7 (capacitance): must be positive (got -1e-12). A trap is the Q of its "
       "coil, henry and farad."},
      {"LD 6 1 5 5 -1 1e-6",
       "LD field 5 (quality): must be positive (got -1). A trap is the Q of its coil, "
       "henry and farad."},
      {"LD 6 1 5 5 100 1e-6 0 -7",
       "LD field 8 (frequency in MHz): must be 0 to 1e6, 0 for a quality that holds at "
       "all (got -7)."},
      {"LD 7 1 0 0 .5 .002",
       "LD field 5 (relative permittivity): must be at least 1 (got 0.5)."},
      {"LD 7 1 0 0 2.3 .0005",
       "LD gives a sheath of outer radius 0.0005 m, but tag 1 segment 1 has a radius of "
       "0.001 m. Give the sheath's outer radius, the wire's included."},
      {"IS 0 2 3 3 2.3 0 .001",
       "IS gives a sheath of outer radius 0.001 m, but tag 2 segment 3 has a radius of "
       "0.001 m. Give the sheath's outer radius, the wire's included."},
      {"IS 1 2", "IS field 1 (option): expected 0 or -1, got 1."},
      {"IS 0 2 0 0 2.3 -1 .002",
       "IS field 6 (conductivity): must be at least 0 (got -1)."},
      {"CP 1 5 1 5",
       "CP field 4 (segment): segment 5 of tag 1 is named already. Name each once."},
      {"LD 4 1 1 1 1e31", "LD field 5 (value): must be within 1e30 (got 1e+31)."},
      {"GN 3 0 0 0 13 -1e300",
       "GN field 6 (conductivity): must be within 1e+12 S/m (got -1e+300). Sea water has "
       "5; GN 1 is a perfect conductor."},
      {"GN 5", "GN field 1 (type): expected -1 to 3, got 5."},
      {"EK 1.5", "EK field 1 (kernel): expected a whole number, got 1.5."},
      {"Z0 0",
       "Z0 field 1 (reference impedance): must be positive and at most 1e30 ohm (got "
       "0)."},
      {"ZO -50",
       "ZO field 1 (reference impedance): must be positive and at most 1e30 ohm (got "
       "-50)."},
      {"RP 7", "RP field 1 (mode): expected 0 to 6, got 7."},
      {"RP 0 -1", "RP field 2 (number of theta angles): must not be negative (got -1)."},
      {"RP 0 10000 10000",
       "RP asks for 10000 x 10000 directions (limit 10000000). Use fewer "
       "angles."},
      {"RP 0 1 1 600",
       "RP field 4 (XNDA): expected digits X 0..1, N 0..5, D 0..1, A 0..2, got 600."},
      {"RP 0 1 1 0 1e7",
       "RP field 5 (first theta): must be within 1e6 degrees (got "
       "10000000)."},
      {"RP 0 1 1 0 0 0 0 0 -1",
       "RP field 9 (distance): must be between 0 and 1e30 m (got "
       "-1)."},
      {"RP 0 1 1 0 0 0 0 0 0 1001",
       "RP field 10 (gain to normalise to): must be within 1000 "
       "dB (got 1001)."},
      {"XQ 4", "XQ field 1 (pattern option): expected 0 to 3, got 4."},
      {"XQ",
       "nothing is excited (no EX card is in force). Give an EX card before XQ or RP."},
      {"PT 4", "PT field 1 (mode): expected -2 to 3, got 4."},
      {"PT 0 3 1 2", "PT tag 3 does not exist (no segment carries it)."},
      {"PQ 1", "PQ field 1 (mode): expected -2, -1 or 0, got 1."},
  };
  for (const auto& [cards, message] : cases) {
    EXPECT_EQ(control(cards).error, std::string("t.nec:5: ") + message);
  }
}

TEST(DeckRefusal, TwoSourcesOnOneSegment) {
  EXPECT_EQ(
      control("EX 0 1 5 0 1\nEX 0 0 5 0 1").error,
      "t.nec:6: EX segment 5 of tag 0 has a source already (line 5). Give one EX card "
      "with the sum of the voltages.");
}

TEST(DeckRefusal, TooManyRunsForMemory) {
  DeckLimits limits;
  limits.run_items = 100;
  std::string deck = "CE\nGW 1 9 0 0 -2.5 0 0 2.5 .001\nGE\nFR 0 1 0 0 30\n";
  for (int i = 0; i < 40; ++i) deck += "EX 0 1 5\nLD 4 1 1 1 5\nXQ\n";
  const std::string error = read(deck, limits).error;
  EXPECT_EQ(error.substr(error.find(": ")),
            ": the runs of the deck hold more than 100 frequencies, sources, loads and "
            "patterns in all. Split the deck.");
}

/// Found by trial: the pieces that a scattered tag makes of one LD card took gigabytes.
TEST(DeckRefusal, TooManyPiecesOfLoadsForMemory) {
  std::string deck = "CE\n";
  for (int i = 0; i < 50; ++i) deck += "GW 1 1 0 0 0 0 0 1 .1\nGW 2 1 0 0 0 0 0 1 .1\n";
  deck += "GE\n";
  for (int i = 0; i < 3; ++i) deck += "LD 4 1 0 0 1\n";
  DeckLimits limits;
  limits.run_items = 140;
  EXPECT_EQ(
      read(deck, limits).error,
      "t.nec:105: the runs of the deck hold more than 140 frequencies, sources, loads "
      "and patterns in all. Split the deck.");
}

/// Each would add to the charge as if it began at the wire.
TEST(DeckRefusal, SecondSheathOnASegment) {
  for (const char* first : {"IS 0 1 0 0 2.3 0 .002", "LD 7 1 0 0 2.3 .002"}) {
    EXPECT_EQ(control(std::string(first) + "\nIS 0 1 3 4 3 0 .004").error,
              "t.nec:6: IS gives tag 1 segment 3 a second sheath; line 5 gave the first. "
              "Give each segment one, or IS -1 (LD -1) between them to replace it.");
  }
  EXPECT_EQ(control("IS 0 1 1 2 2.3 0 .002\nIS 0 1 3 4 3 0 .004\nIS -1\n"
                    "IS 0 1 0 0 2.3 0 .002\nEX 0 1 5 0 1\nXQ")
                .error,
            "");
}

TEST(DeckReading, TellsHowFarItIsAndStopsThere) {
  std::string deck = "CE\n";
  for (int i = 0; i < 30'000; ++i) deck += "GW 1 1 0 0 0 0 0 1 .001\n";
  deck += "GE\nEN\n";
  std::vector<std::string> warnings;
  std::vector<double> fractions;
  std::atomic<bool> stop = false;
  const auto read = [&](const Monitor& monitor) {
    (void)read_structures(deck, "t.nec", warnings, {}, {}, {}, monitor);
  };
  read(Monitor([&](const Progress& p) { fractions.push_back(p.fraction); }));
  EXPECT_GE(fractions.size(), 4U);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_GT(fractions.back(), 0.5);
  fractions.clear();
  const Monitor stopped(
      [&](const Progress& p) {
        fractions.push_back(p.fraction);
        stop = fractions.size() == 2;
      },
      &stop);
  EXPECT_EQ(test::error_kind([&] { read(stopped); }), ErrorKind::interrupted);
  EXPECT_EQ(fractions.size(), 2U);
}

}  // namespace
}  // namespace thinwire
