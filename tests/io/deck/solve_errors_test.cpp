// Errors that a deck causes only once it is meshed and solved.
#include <gtest/gtest.h>

#include "mom/solve.h"
#include "tests/io/deck/deck_testing.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

std::string error_of(const Problem& problem, const Options& options = {}) {
  return test::error_message([&] { solve(problem, options); });
}

/// Everything that a card connects to the wires is named by the card's own line, whatever
/// its kind.
TEST(SolveErrors, NameTheLineOfTheCard) {
  struct Case {
    std::string_view card;
    std::string error;
  };
  const Case cases[] = {
      {"EX 0 3 1",
       "t.nec:7: source on tag 3 segment 1: no current can flow there (the wire is one "
       "segment with free ends). Give the wire at least three segments."},
      {"LD 0 1 2 2 0 0 1e-320",
       "t.nec:7: load on tag 1 segment 2: its impedance is not finite at 299.792 MHz. "
       "Check the values of its LD card."},
      {"LD 7 1 3 3 2 .15",
       "t.nec:7: the sheath of tag 1 segment 3, of radius 0.15 m, reaches through the "
       "surface of the ground (0.1 m away). Give it a thinner sheath, or the wire "
       "another height."},
      {"TL 1 1 2 1 50 .5",
       "t.nec:7: networks at 299.792 MHz: sources and networks contradict each other, "
       "such as two voltages on one line of length zero, or a current into an open end. "
       "Change one of them."}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.card);
    const bool excites = c.card.starts_with("EX");
    const auto deck = deck_testing::read(
        "CE\nGW 1 3 0 0 .1 .3 0 .1 .001\nGW 2 3 0 2 .1 .3 2 .1 .001\n"
        "GW 3 1 1 0 1 1 0 1.1 .001\nGE\nGN 2 0 0 0 13 .005\n" +
        std::string(c.card) + (excites ? "" : "\nEX 0 1 1\nEX 0 2 1") +
        "\nFR 0 1 0 0 299.792458\nXQ\nEN\n");
    ASSERT_EQ(deck.error, "");
    Options options;
    options.mesh = MeshChoice::as_given;
    EXPECT_EQ(error_of(deck.problem, options), c.error);
  }
}

// Found by the fuzzer: phases that are rounding errors gave impedances that are not
// finite.
TEST(SolveErrors, WiresTooFarFromTheOriginAreRefused) {
  const auto error_at = [](const std::string& shift) {
    const auto deck =
        deck_testing::read("CE\nGW 1 9 0 0 -2.5 0 0 2.5 .001\nGM 0 0 0 0 0 0 " + shift +
                           "\nGE\nEX 0 1 5\nFR 0 1 0 0 30\nXQ\nEN\n");
    return deck.error + error_of(deck.problem);
  };
  EXPECT_EQ(error_at("1e9"), "");
  EXPECT_EQ(
      error_at("1e30").rfind("t.nec:2: tag 1 segment 1 is 1e+30 m from the origin", 0),
      0u)
      << error_at("1e30");
}

TEST(SolveErrors, FrequenciesOutOfRangeAreRefused) {
  Problem problem = deck_testing::control("EX 0 1 5\nFR 0 1 0 0 30\nXQ").problem;
  for (const double hz : {1e-302, 0.9e-6, 1.1e18, 0.0, -1.0}) {
    problem.runs.at(0).frequency_hz = {30e6, hz};
    EXPECT_EQ(
        error_of(problem).rfind("frequencies must be between 1e-06 and 1e+18 Hz", 0), 0u)
        << hz << ": " << error_of(problem);
  }
}

}  // namespace
}  // namespace thinwire
