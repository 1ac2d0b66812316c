#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

using namespace test;

TEST(Converge, PrintsTablesAndWritesFiles) {
  const Program thinwire;
  const auto run = thinwire("converge dipole.nec --csv c.csv --plot c.html -o c.h5");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "graded x4"));
  EXPECT_TRUE(contains(run.out, "tag 1 segment 6 at 300 MHz: Z = "));
  EXPECT_TRUE(contains(run.out, "greatest gain 2.1"));
  EXPECT_TRUE(contains(run.out, "costs most: the open end of tag 1"));
  EXPECT_TRUE(contains(read_file(thinwire / "c.csv"), "resistance_ohm"));
  EXPECT_TRUE(contains(read_file(thinwire / "c.html"), "</html>"));
  EXPECT_TRUE(thinwire.has("c.h5"));
}

TEST(Converge, JsonHoldsTheReferenceToo) {
  const Program thinwire;
  const auto run = thinwire("converge dipole.nec --json --quiet --reference 8");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  ASSERT_EQ(json["meshes"].size(), 8u);
  EXPECT_TRUE(json["meshes"][6]["finer_integrals"].get<bool>());
  const auto& port = json["ports"][0];
  const auto distance = [&](const nlohmann::json& z) {
    return std::hypot(z[0].get<double>() - port["impedance_ohm"][0].get<double>(),
                      z[1].get<double>() - port["impedance_ohm"][1].get<double>());
  };
  EXPECT_LT(distance(json["meshes"][7]["impedance_ohm"][0]), port["bar_ohm"]);
  EXPECT_GT(distance(json["meshes"][0]["impedance_ohm"][0]), port["bar_ohm"]);
}

TEST(Converge, PassesOnWarningsOfItsSolves) {
  const Program thinwire;
  // A warning about the model: few segments. A warning of the solve: they are long
  // against the wave.
  thinwire.write("coarse.nec",
                 "CE\nGW 1 3 0 0 0 0 0 1 .001\nGE\nEX 0 1 2\nFR 0 1 0 0 400\nXQ\nEN\n");
  const auto solved = thinwire("solve coarse.nec -o none --mesh as-given");
  ASSERT_GE(test::line_count(solved.err), 2U) << solved.err;
  const auto run = thinwire("converge coarse.nec --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto warnings = nlohmann::json::parse(run.out)["warnings"];
  std::istringstream lines(solved.err);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("warning: ")) continue;
    EXPECT_TRUE(contains(run.err, line + "\n")) << line;
    EXPECT_NE(std::find(warnings.begin(), warnings.end(), line.substr(9)), warnings.end())
        << line;
  }
}

TEST(Converge, SaysWhatItCannotStudy) {
  const Program thinwire;
  EXPECT_TRUE(contains(thinwire("converge dipole.nec --mesh as-given").err,
                       "--mesh has no effect"));
  thinwire.write("wave.nec",
                 "CE\nGW 1 9 0 0 0 0 0 1 .001\nGE\nEX 1 1 1\nFR 0 1 0 0 30\nXQ\nEN\n");
  const auto run = thinwire("converge wave.nec");
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(contains(run.err, "no run has a source"));
  thinwire.write("keep.nec",
                 "CE\nGW 1 9 0 0 0 0 0 1 .001\nGE\nFR 0 1 0 0 100\nWG m.h5\nEN\n");
  thinwire.write("take.nec", "CE\nGF 0 m.h5\nGE\nEX 0 1 5 0 1\nXQ\nEN\n");
  ASSERT_EQ(thinwire("solve keep.nec -o none").code, 0);
  EXPECT_EQ(thinwire("converge take.nec").err,
            "thinwire: converge: take.nec takes the matrix of one mesh from m.h5 (GF). "
            "Give the whole structure in one deck.\n");
}

/// Refused options are not offered.
TEST(Converge, HelpLeavesOutMeshes) {
  const Program thinwire;
  const std::string page = thinwire("help converge").out;
  EXPECT_TRUE(contains(page, "--solver"));
  EXPECT_FALSE(contains(page, "--mesh"));
  EXPECT_FALSE(contains(page, "--refine"));
}

/// Equals a mesh twice as fine.
TEST(Solve, RefinesTheMesh) {
  const Program thinwire;
  const auto study =
      nlohmann::json::parse(thinwire("converge dipole.nec --json --quiet").out);
  const auto solved = nlohmann::json::parse(
      thinwire("solve dipole.nec --refine 2 --json --quiet -o none").out);
  EXPECT_EQ(study["meshes"][4]["unknowns"], solved["unknowns"]);
  EXPECT_EQ(thinwire("solve dipole.nec --refine 3").code, 2);
}

}  // namespace
}  // namespace thinwire
