#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

using nlohmann::json;
using namespace test;

/// The command's objects on standard error.
std::vector<json> progress_of(const Program& thinwire, const std::string& command) {
  const auto run = thinwire.succeeds(command + " --progress json");
  std::istringstream lines(run.err);
  std::vector<json> all;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("{")) all.push_back(json::parse(line));
  return all;
}

class ProgressOf : public testing::TestWithParam<const char*> {};

TEST_P(ProgressOf, NeverGoesBackAndEndsWithDone) {
  const Program thinwire;
  const std::string yagi =
      "CE\nSY h=.48\nGW 1 11 0 0 -h/2 0 0 h/2 .001\nGW 2 11 .2 0 -.22 .2 0 .22 .001\n"
      "GE 0\nEX 0 1 6 0 1 0\nFR 0 5 0 0 290 5\nRP 0 7 13 1000 0 0 15 30\n";
  thinwire.write("yagi.nec", yagi + "XQ\nEN\n");
  thinwire.write("three.nec", yagi +
                                  "NX\nCE\nGW 1 11 0 0 0 0 0 .5 .001\nGE 0\nEX 0 1 6 0 1 "
                                  "0\nFR 0 1 0 0 300 0\nXQ\nNX\n" +
                                  yagi + "XQ\nEN\n");
  thinwire.write("fence.nec",
                 "CE\nGW 1 20 0 0 0 6 0 0 .002\nGW 2 20 0 .3 0 6 .3 0 .002\n"
                 "GW 3 7 0 0 0 0 .3 0 .002\nGW 4 7 6 0 0 6 .3 0 .002\nGE 0\n"
                 "EX 0 1 10 0 1 0\nFR 0 3 0 0 60 .5\nXQ\nEN\n");
  // With it, frequencies are kept one by one.
  thinwire.write("fence.h5.journal", "");
  double before = 0;
  std::vector<std::string> steps;
  for (const json& line : progress_of(thinwire, GetParam())) {
    EXPECT_GE(line["fraction"], before) << line;
    before = line["fraction"];
    steps.push_back(line["step"]);
  }
  EXPECT_EQ(before, 1);
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.back(), "done");
  EXPECT_EQ(std::ranges::count(steps, "done"), 1);
}

INSTANTIATE_TEST_SUITE_P(
    Commands, ProgressOf,
    testing::Values(
        "solve dipole.nec -o none", "solve yagi.nec -o none --solver cocg",
        "solve yagi.nec -o none --gradient h",
        "solve yagi.nec -o none --gradient h --frequency 300",
        "solve yagi.nec -o none --gradient h --sweep fast",
        "solve yagi.nec -o none --sweep fast --frequency 250:350:41",
        "solve three.nec -o three.h5",
        "solve fence.nec --force --operator fft --threads 1",
        "solve fence.nec --force --operator fft --threads 2",
        "sweep yagi.nec -o none --vary h=.44:.52:5 --threads 2",
        "sweep yagi.nec -o none --vary h=.44:.52:5 --solver gmres",
        "optimize yagi.nec -o none --output-deck none --vary h=.4:.6 --goal '|z| min'"));

TEST(Progress, ShowsTheStepsOfASolve) {
  const Program thinwire;
  std::vector<std::string> steps;
  for (const json& line : progress_of(thinwire, "solve dipole.nec -o none"))
    steps.push_back(line["step"]);
  for (const char* step : {"read", "check", "mesh", "fill"})
    EXPECT_TRUE(std::ranges::count(steps, step)) << step;
}

/// The parts of structures follow the work: the dipole alone takes next to nothing.
TEST(Progress, StructuresOfADeckShareOneScale) {
  const Program thinwire;
  const std::string large =
      "CE\nGW 1 99 0 0 0 0 0 .5 .001\nGE 0\nEX 0 1 50 0 1 0\nFR 0 2 0 0 300 5\nXQ\n";
  thinwire.write("two.nec", large + "NX\n" + dipole_deck);
  std::vector<double> checks;
  for (const json& line : progress_of(thinwire, "solve two.nec -o two.h5"))
    if (line["step"] == "check" && line["fraction"] > 0.5)
      checks.push_back(line["fraction"]);
  ASSERT_FALSE(checks.empty());
  EXPECT_GT(checks.front(), 0.95);
  EXPECT_LT(checks.front(), 1);
}

}  // namespace
}  // namespace thinwire
