// Errors that a deck causes only once it is meshed and solved.
#include <gtest/gtest.h>

#include "mom/solve.h"
#include "tests/io/deck/deck_testing.h"

namespace thinwire {
namespace {

std::string error_of(const Problem& problem, const Options& options = {}) {
  try {
    solve(problem, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SolveErrors, NameTheLineOfAWireWithoutCurrent) {
  const auto deck = deck_testing::read(
      "CE\nGW 1 11 0 0 -1 0 0 1 .001\nGW 3 1 1 0 0 1 0 .1 .001\nGE\nEX 0 3 1\n"
      "FR 0 1 0 0 50\nXQ\nEN\n");
  ASSERT_EQ(deck.error, "");
  Options options;
  options.mesh = MeshChoice::as_given;
  EXPECT_EQ(error_of(deck.problem, options),
            "t.nec:3: source on tag 3 segment 1: no current can flow there (the wire is "
            "one segment with free ends). Give the wire at least three segments.");
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
