// Decks of different programs, whose cards mean different things.
#include <gtest/gtest.h>

#include "tests/io/deck/deck_testing.h"

namespace thinwire::dialect_tests {
namespace {

using deck_testing::Read;

Read read(std::string_view text, Dialect dialect = Dialect::automatic) {
  Read result;
  try {
    result.problem = read_deck(text, "t.nec", result.warnings, {}, {}, {dialect});
  } catch (const Error& error) {
    result.error = error.what();
  }
  return result;
}

/// Two wires in line, 9 and 3 segments; cards from line 5 on.
Read wires(const std::string& cards, Dialect dialect, const std::string& ge = "GE 0") {
  return read("CE\nGW 1,9,0.,0.,-2.5,0.,0.,2.5,.001\nGW 2,3,0.,0.,2.5,0.,0.,3.5,.001\n" +
                  ge + "\n" + cards + "\nEN\n",
              dialect);
}

const std::string run = "\nFR 0,1,0,0,30.\nXQ 0";

const Run& only_run(const Read& read) {
  EXPECT_EQ(read.error, "");
  return read.problem.runs.at(0);
}

bool is_at(const Source& source, Gap gap, std::size_t segment) {
  return source.gap == gap && source.segment == segment;
}

TEST(Dialect, Nec5NamesNodesOfSourcesLoadsAndNetworks) {
  const Read deck = wires(
      "LD 4,1,3,0,50.,1.\nLD 4,2,-1,0,60.,0.\nLD 0,1,4,6,1.,0.,0.\nLD 5,1,0,0,5.8E7\n"
      "EX 0,1,5,0,2.,0.\nEX 4,2,-1,0,1.5,0.5\nEX 0,1,9,0,1.,0.\n"
      "TL 1,5,2,-1,-75.,0.,0.,0.,0.,0.\nNT 1,9,2,3,.01,0.,0.,0.,.02,0." +
          run,
      Dialect::nec5);
  const auto& r = only_run(deck);
  EXPECT_TRUE(deck.warnings.empty()) << deck.warnings.front();
  ASSERT_EQ(r.sources.size(), 3u);
  EXPECT_TRUE(is_at(r.sources[0], Gap::end, 4));
  EXPECT_EQ(r.sources[0].voltage_v, Complex(2, 0));
  EXPECT_TRUE(is_at(r.sources[1], Gap::start, 9));
  EXPECT_EQ(r.sources[1].current_a, Complex(1.5, 0.5));
  // A point that two wires share is a gap for each of them.
  EXPECT_TRUE(is_at(r.sources[2], Gap::end, 8));
  ASSERT_EQ(r.loads.size(), 4u);
  EXPECT_EQ(r.loads[0].first, 2u);
  EXPECT_EQ(r.loads[0].last, 2u);
  EXPECT_EQ(r.loads[0].gap, Gap::end);
  EXPECT_EQ(r.loads[1].first, 9u);
  EXPECT_EQ(r.loads[1].gap, Gap::start);
  EXPECT_EQ(r.loads[2].first, 3u);
  EXPECT_EQ(r.loads[2].last, 5u);
  EXPECT_EQ(r.loads[2].gap, Gap::end);
  EXPECT_EQ(r.loads[3].gap, Gap::segment);
  ASSERT_EQ(r.networks.size(), 2u);
  EXPECT_EQ(r.networks[0].segment[0], 4u);
  EXPECT_EQ(r.networks[0].gap[0], Gap::end);
  EXPECT_EQ(r.networks[0].segment[1], 9u);
  EXPECT_EQ(r.networks[0].gap[1], Gap::start);
  EXPECT_TRUE(r.networks[0].crossed);
  // From node to node.
  EXPECT_NEAR(r.networks[0].length_m, 2.5 - (-2.5 + 5.0 * 5 / 9), 1e-12);
  EXPECT_EQ(r.networks[1].gap[1], Gap::end);
}

TEST(Dialect, Nec5IsFoundByTheMarkOnGe) {
  const Read deck = wires("EX 0,1,5,0,1.,0." + run, Dialect::automatic, "GE 0,-1");
  EXPECT_EQ(only_run(deck).sources.at(0).gap, Gap::end);
  EXPECT_EQ(deck.warnings,
            (std::vector<std::string>{
                "t.nec:4: GE has the second field -1 of NEC-5's decks: EX, LD, TL and NT "
                "name nodes, segment k its far end. Give --dialect nec2 if they name "
                "segments."}));
  const Read segments = wires("EX 0,1,5,0,1.,0." + run, Dialect::nec2, "GE 0,-1");
  EXPECT_EQ(only_run(segments).sources.at(0).gap, Gap::segment);
}

TEST(Dialect, Nec5IsFoundByCommasAndNodes) {
  for (const char* card :
       {"EX 0,2,-1,0,1.,0.", "EX 4,1,5,0,1.,0.", "LD 4,1,-1,0,5.,0.\nEX 0,1,5,0,1.,0.",
        "EX 0,1,5,0,1.,0.\nTL 1,5,2,-1,50.,3.,0.,0.,0.,0."}) {
    const Read deck = wires(card + run, Dialect::automatic);
    EXPECT_NE(only_run(deck).sources.at(0).gap, Gap::segment) << card;
    ASSERT_EQ(deck.warnings.size(), 1u);
    EXPECT_EQ(deck.warnings[0].rfind("t.nec:4: GE ends the geometry of a NEC-5 deck", 0),
              0u);
  }
  // NEC-4's switch, no commas everywhere, or no nodes.
  EXPECT_EQ(
      only_run(wires("EX 0 1 5 0 1.\nFR 0 1 0 0 30.\nXQ", Dialect::automatic, "GE 0 -1"))
          .sources.at(0)
          .gap,
      Gap::segment);
  EXPECT_EQ(only_run(wires("EX 4 1 5 0 1.\nFR 0,1,0,0,30.\nXQ", Dialect::automatic))
                .sources.at(0)
                .gap,
            Gap::segment);
  EXPECT_EQ(
      only_run(wires("EX 0,1,5,0,1.,0." + run, Dialect::automatic)).sources.at(0).gap,
      Gap::segment);
}

TEST(Dialect, NoMarkOfNec5CountsBesideCardsThatItLacks) {
  for (const char* card :
       {"EX 6,1,5,0,1.,0.", "EX 5,1,5,0,1.,0.", "EX 0,1,5,0,1.,0.\nLD 7,1,0,0,2.,.002"}) {
    const Read deck = wires(card + run, Dialect::automatic, "GE 0,-1");
    EXPECT_NE(only_run(deck).sources.at(0).gap, Gap::end) << card;
    EXPECT_EQ(deck.problem.deck_dialect, "auto");
  }
}

TEST(Dialect, ExpandedNec5DecksAreFoundAgain) {
  std::vector<std::string> warnings;
  for (const Dialect dialect : {Dialect::automatic, Dialect::nec5}) {
    const std::string text = expanded_deck(
        "CE\nSY k=5\nGW 1,9,0.,0.,-2.5,0.,0.,2.5,.001\nGE 0,-1\nEX 0,1,k,0,1.,0." + run +
            "\nEN\n",
        "t.nec", warnings, {}, {dialect});
    const Read again = read(text);
    EXPECT_TRUE(is_at(only_run(again).sources.at(0), Gap::end, 4)) << text;
    EXPECT_EQ(again.problem.deck_dialect, "nec5");
  }
  // Named, and without marks of its own.
  const std::string text = expanded_deck(
      "CE\nGW 1 9 0 0 -2.5 0 0 2.5 .001\nGE\nEX 0 1 5 0 1\nFR 0 1 0 0 30\nXQ\nEN\n",
      "t.nec", warnings, {}, {Dialect::nec5});
  EXPECT_TRUE(is_at(only_run(read(text)).sources.at(0), Gap::end, 4)) << text;
}

TEST(Dialect, NodesOutsideNec5AreRefusedWithTheOption) {
  EXPECT_EQ(
      wires("EX 0,1,-1,0,1.,0." + run, Dialect::nec2).error,
      "t.nec:5: EX field 3 (segment): segments count from 1 (got -1). NEC-5 decks "
      "give nodes here, -1 being the start of a wire: use --dialect nec5 if this is "
      "one.");
}

TEST(Dialect, Nec5RefusesSecondSourcesAndLoadsWithoutNode) {
  EXPECT_EQ(wires("EX 0,1,5,0,1.,0.\nEX 4,1,5,0,1.,0." + run, Dialect::nec5).error,
            "t.nec:6: EX node 5 of tag 1 has a source already (line 5). Give one EX "
            "card.");
  EXPECT_EQ(wires("LD 4,1,0,0,5.,0.", Dialect::nec5).error,
            "t.nec:5: LD field 3 (node): a lumped load is at one node of a wire, or at a "
            "range of nodes from 1 on (got 0 to 0). Give one LD card for each.");
  EXPECT_EQ(wires("EX 5,1,5,0,1.,0.", Dialect::nec5).error,
            "t.nec:5: EX field 1 (type): EX 5 is NEC-2's gap between segments. NEC-5's "
            "sources at nodes are EX 0 (voltage) and EX 4 (current).");
}

TEST(Dialect, CurrentsInGapsAreForAllButNec5) {
  for (const Dialect dialect :
       {Dialect::automatic, Dialect::nec2, Dialect::nec4, Dialect::fournec2}) {
    const Read deck = wires("EX 7,2,1,0,2.,-1." + run, dialect);
    EXPECT_TRUE(is_at(only_run(deck).sources.at(0), Gap::start, 9));
    EXPECT_EQ(only_run(deck).sources.at(0).current_a, Complex(2, -1));
  }
  EXPECT_EQ(wires("EX 7,1,1,0,1.,0.", Dialect::automatic).error,
            "t.nec:5: EX is a gap at the start of its segment, which is a free end. Use "
            "EX 0, or the next segment.");
  EXPECT_EQ(wires("EX 7,1,5,0,1.,0.", Dialect::nec5).error,
            "t.nec:5: EX field 1 (type): EX 7 is a current in a gap between segments. "
            "NEC-5's sources at nodes are EX 0 (voltage) and EX 4 (current).");
}

TEST(Dialect, GroundsOfNec5) {
  const auto ground = [](const std::string& card, Dialect dialect) {
    const Read deck = read("CE\nGW 1,9,0.,0.,1.,0.,0.,6.,.001\nGE 1\n" + card +
                               "\nEX 0,1,5,0,1.,0." + run + "\nEN\n",
                           dialect);
    EXPECT_TRUE(deck.warnings.empty()) << deck.warnings.front();
    return only_run(deck).ground;
  };
  const Ground soil = Ground::sommerfeld(13, 0.005);
  Ground mininec = soil, coefficients = soil;
  mininec.kind = Ground::Kind::mininec;
  coefficients.kind = Ground::Kind::coefficients;
  EXPECT_EQ(ground("GN 0,0,0,0,13.,.005,1.,0.", Dialect::nec5), soil);
  EXPECT_EQ(ground("GN 2,0,0,0,13.,.005,1.,0.", Dialect::nec5), soil);
  EXPECT_EQ(ground("GN 1", Dialect::nec5), Ground::perfect);
  EXPECT_EQ(ground("GD 0,0,0,0,13.,.005,1.,0.", Dialect::nec5), mininec);
  EXPECT_EQ(ground("GN 0,0,0,0,13.,.005", Dialect::nec2), coefficients);
  // The last one holds.
  EXPECT_EQ(ground("GN 1\nGD 0,0,0,0,13.,.005,1.,0.", Dialect::nec5), mininec);
  EXPECT_EQ(ground("GD 0,0,0,0,13.,.005,1.,0.\nGN 1", Dialect::nec5), Ground::perfect);
}

TEST(Dialect, GroundsOfNec5WithPermeabilityAreRefused) {
  EXPECT_EQ(wires("GN 0,0,0,0,13.,.005,2.,0.", Dialect::nec5).error,
            "t.nec:5: GN field 7 (relative permeability): only grounds of permeability 1 "
            "are supported (got 2).");
}

TEST(Dialect, CardsOfAnotherProgramAreRefusedByItsName) {
  const std::tuple<const char*, Dialect, const char*> refused[] = {
      {"EX 6,1,5,0,1.", Dialect::nec2,
       "EX 6 (current source) is a card of 4nec2. Read the deck with --dialect 4nec2 or "
       "auto."},
      {"LD 7,1,1,1,2.,.01", Dialect::nec4,
       "LD 7 (insulation) is a card of 4nec2. Read the deck with --dialect 4nec2 or "
       "auto."},
      {"IS 0,1,1,1,2.,0.,.01", Dialect::nec2,
       "IS (insulation) is a card of NEC-4. Read the deck with --dialect nec4 or auto."},
      {"EX 4,1,5,0,1.", Dialect::nec4,
       "EX 4 (elementary current source in space) is not supported. Use EX 6 for a "
       "current source on a segment, or EX 1 for a plane wave."}};
  for (const auto& [card, dialect, message] : refused)
    EXPECT_EQ(wires(card, dialect).error, std::string("t.nec:5: ") + message);
  const std::pair<const char*, Dialect> accepted[] = {
      {"EX 6,1,5,0,1.", Dialect::fournec2},
      {"IS 0,1,1,1,2.,0.,.01\nEX 0,1,5,0,1.", Dialect::fournec2},
      {"IS 0,1,1,1,2.,0.,.01\nEX 0,1,5,0,1.", Dialect::nec4},
      {"LD 6,1,5,5,100.,1E-6,1E-12\nEX 0,1,5,0,1.", Dialect::automatic}};
  for (const auto& [card, dialect] : accepted)
    EXPECT_EQ(wires(card + run, dialect).error, "") << card;
}

TEST(Dialect, PercentagesOf4nec2NameSegments) {
  const std::string cards =
      "SY p=30\nEX 0 1 50% 0 1\nEX 6 2 100% 0 1\nLD 4 1 0% p% 5\nTL 1 99% 2 50% 50 3\n"
      "PT 0 1 25% 40%\nFR 0 1 0 0 30\nXQ";
  const Read deck = wires(cards, Dialect::fournec2);
  const auto& r = only_run(deck);
  EXPECT_TRUE(deck.warnings.empty()) << deck.warnings.front();
  EXPECT_EQ(r.sources.at(0).segment, 4u);
  EXPECT_EQ(r.sources.at(1).segment, 11u);
  EXPECT_EQ(r.loads.at(0).first, 0u);
  EXPECT_EQ(r.loads.at(0).last, 2u);
  EXPECT_EQ(r.networks.at(0).segment[0], 8u);
  EXPECT_EQ(r.networks.at(0).segment[1], 10u);
  EXPECT_EQ(r.listing.current.first, 2u);
  EXPECT_EQ(r.listing.current.last, 3u);
  std::vector<std::string> warnings;
  EXPECT_EQ(expanded_deck("CE\nGW 1 9 0 0 -2.5 0 0 2.5 .001\nGW 2 3 0 0 2.5 0 0 3.5 .001"
                          "\nGE 0\n" +
                              cards + "\nEN\n",
                          "t.nec", warnings, {}, {Dialect::fournec2}),
            "CE\nGW 1 9 0 0 -2.5 0 0 2.5 0.001\nGW 2 3 0 0 2.5 0 0 3.5 0.001\nGE 0\n"
            "EX 0 1 5 0 1\nEX 6 2 3 0 1\nLD 4 1 1 3 5\nTL 1 9 2 2 50 3\nPT 0 1 3 4\n"
            "FR 0 1 0 0 30\nXQ\nEN\n");
}

TEST(Dialect, PercentagesAreOfTheLengthOfTheWire) {
  // Segments of 1, 2 and 4 m: the joints are at 14.3 and 42.9 %.
  const auto segment_at = [](const std::string& place) {
    const Read deck = read("CE\nGW 3 3 0 0 0 0 0 7 0\nGC 0 0 2 .001 .001\nGE 0\nEX 0 3 " +
                           place + "\nFR 0 1 0 0 30\nXQ\nEN\n");
    EXPECT_TRUE(deck.warnings.empty()) << deck.warnings.front();
    return only_run(deck).sources.at(0).segment;
  };
  EXPECT_EQ(segment_at("14%"), 0u);
  EXPECT_EQ(segment_at("15%"), 1u);
  EXPECT_EQ(segment_at("42.5%"), 1u);
  EXPECT_EQ(segment_at("43%"), 2u);
}

TEST(Dialect, PercentagesAtJointsTakeTheSegmentBeforeWithAWarning) {
  const Read deck =
      read("CE\nGW 1 10 0 0 -1 0 0 2 .001\nGE 0\nEX 0 1 30%\nFR 0 1 0 0 30\nXQ\nEN\n");
  EXPECT_EQ(only_run(deck).sources.at(0).segment, 2u);
  EXPECT_EQ(deck.warnings, (std::vector<std::string>{
                               "t.nec:4: EX field 3: 30 % of tag 1 is where segments 3 "
                               "and 4 join; the first is taken."}));
}

TEST(Dialect, PercentagesThatNameNoPlaceAreRefused) {
  const std::tuple<const char*, Dialect, const char*> refused[] = {
      {"EX 0 1 101%", Dialect::automatic,
       "EX field 3 (place on the wire): must be 0 % to 100 % (got 101 %)."},
      {"EX 0 0 50%", Dialect::fournec2,
       "EX field 3 (place on the wire): needs the tag of a wire (got 0)."},
      {"EX 0 1 %", Dialect::fournec2,
       "EX field 3 (place on the wire): expected a number, got '': a number or name is "
       "missing at the end."},
      {"EX 0 1 50%", Dialect::nec2,
       "EX field 3 (segment): expected a number, got '50%': unexpected '%'."}};
  for (const auto& [card, dialect, message] : refused)
    EXPECT_EQ(wires(card, dialect).error, std::string("t.nec:5: ") + message);
}

TEST(Dialect, PermeabilityOfWiresIsNec4s) {
  const std::string card = "LD 5,1,1,9,1.E7,100.\nEX 0,1,5,0,1.,0." + run;
  const Read nec2 = wires(card, Dialect::nec2), nec4 = wires(card, Dialect::nec4);
  EXPECT_EQ(only_run(nec2).loads.at(0).value[1], 0);
  EXPECT_EQ(nec2.warnings.size(), 1u);
  EXPECT_EQ(only_run(nec4).loads.at(0).value[1], 100);
  EXPECT_TRUE(nec4.warnings.empty());
}

TEST(Dialect, IsNamedAsOnTheCommandLine) {
  for (const char* word : {"auto", "nec2", "nec4", "nec5", "4nec2"})
    EXPECT_EQ(name_of(dialect_named("--dialect", word)), word);
  EXPECT_THROW(dialect_named("--dialect", "nec3"), Error);
}

}  // namespace
}  // namespace thinwire::dialect_tests
