#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/program.h"

namespace thinwire::overlap_test {
namespace {

using nlohmann::json;
using test::Program;

/// A plate of 16 x 16 cells of 0.1 m, each side a card and a tag of its own, and a
/// monopole on its middle; about 800 unknowns.
std::string plate_deck() {
  std::string deck = "CE\n";
  int tag = 0;
  const auto add = [&](double x, double y, double to_x, double to_y) {
    deck += fmt::format("GW {} 1 {} {} 0 {} {} 0 .01\n", ++tag, x, y, to_x, to_y);
  };
  for (int i = 0; i <= 16; ++i)
    for (int j = 0; j < 16; ++j) {
      const double a = 0.1 * i, b = 0.1 * j;
      add(a, b, a, b + 0.1);
      add(b, a, b + 0.1, a);
    }
  ++tag;
  deck += fmt::format("GW {0} 5 .8 .8 0 .8 .8 .25 .001\nGE\nEX 0 {0} 1 0 1\n", tag);
  deck += "FR 0 1 0 0 299.79\nXQ\nEN\n";
  return deck;
}

json solved(const Program& thinwire, const std::string& options) {
  const auto run =
      thinwire.succeeds("solve plate.nec --device cpu --mesh as-given --json " + options);
  return json::parse(run.out);
}

TEST(Overlap, SolvesAGridAsDirectDoes) {
  const Program thinwire;
  thinwire.write("plate.nec", plate_deck());
  const auto impedance = [&](const std::string& options) {
    const json port = solved(thinwire, options)["frequencies"][0]["ports"][0];
    return std::pair<double, double>(port["impedance_ohm"][0], port["impedance_ohm"][1]);
  };
  const auto [r, x] = impedance("--solver direct -o none");
  const auto [r_blocks, x_blocks] = impedance("--precond overlap -o none");
  EXPECT_NEAR(r_blocks, r, 1e-4 * std::abs(r));
  EXPECT_NEAR(x_blocks, x, 1e-4 * std::abs(r));
}

TEST(Overlap, DryRunShowsBlocksBytesAndIterations) {
  const Program thinwire;
  thinwire.write("plate.nec", plate_deck());
  const json plan = solved(thinwire, "--precond overlap --solver gmres --dry-run");
  EXPECT_EQ(plan["solver"], "gmres");
  EXPECT_EQ(plan["preconditioner"], "overlap");
  EXPECT_GE(plan["blocks"].get<int>(), 2);
  // At least the own functions' blocks, 8 bytes an entry.
  const double n = plan["unknowns"], blocks = plan["blocks"];
  EXPECT_GE(plan["block_bytes"].get<double>(), 8 * n * n / blocks);
  EXPECT_GE(plan["predicted_iterations"].get<double>(), 2);
  // With --solver auto it is the machine's threads that decide.
  const auto table =
      thinwire("solve plate.nec --precond overlap --solver gmres --dry-run --device cpu");
  EXPECT_TRUE(contains(table.out, "\nblocks "));
  EXPECT_TRUE(contains(table.out, " (predicted)\n"));
}

TEST(Overlap, TakesTheBoxesAskedForAndSaysSo) {
  const Program thinwire;
  thinwire.write("plate.nec", plate_deck());
  const std::string overlap = "--precond overlap --solver gmres --boxes ";
  // 16 cells: two boxes a side of at most 8, four of at most 5.
  const json four = solved(thinwire, overlap + "8,1 --dry-run"),
             sixteen = solved(thinwire, overlap + "5,0.5 --dry-run");
  EXPECT_EQ(four["blocks"], 4);
  EXPECT_EQ(four["boxes"], json::parse(R"({"cells": 8, "overlap": 1, "asked": true})"));
  EXPECT_EQ(sixteen["blocks"], 16);
  const json chosen = solved(thinwire, "--precond overlap --solver gmres --dry-run");
  EXPECT_EQ(chosen["boxes"]["asked"], false);
  const auto table =
      thinwire("solve plate.nec --dry-run --device cpu " + overlap + "8,1");
  EXPECT_TRUE(contains(table.out, " 4 of 8 cells, overlap 1 as asked; "));

  // One box that holds all is the inverse up to rounding to single.
  const auto report = [&](const std::string& boxes) {
    return solved(thinwire, "-o none " + overlap + boxes)["frequencies"][0]["solver"];
  };
  const json one = report("17,4"), many = report("4,1");
  EXPECT_LE(one["iterations"], 3);
  EXPECT_GE(many["iterations"], 5);
  EXPECT_EQ(many["boxes"], json::parse(R"({"cells": 4, "overlap": 1, "asked": true})"));
  const json direct =
      solved(thinwire, "-o none --solver direct")["frequencies"][0]["solver"];
  EXPECT_FALSE(direct.contains("boxes"));
}

TEST(Overlap, StatesWhetherThereIsACoarseLevel) {
  const Program thinwire;
  thinwire.write("plate.nec", plate_deck());
  const std::string overlap = "--precond overlap --solver gmres --boxes 5,1 --coarse ";
  const json with = solved(thinwire, overlap + "on --dry-run"),
             without = solved(thinwire, overlap + "off --dry-run");
  EXPECT_GT(with["coarse_functions"], 10);
  EXPECT_EQ(without["coarse_functions"], 0);
  const auto coarse_row = [&](const std::string& word) {
    return thinwire("solve plate.nec --dry-run --device cpu " + overlap + word).out;
  };
  EXPECT_TRUE(contains(coarse_row("on"), " functions\n"));
  EXPECT_TRUE(contains(coarse_row("off"), "\ncoarse level"));
  const auto solver = [&](const std::string& word) {
    return solved(thinwire, "-o none " + overlap + word)["frequencies"][0]["solver"];
  };
  const json two = solver("on"), one = solver("off");
  EXPECT_EQ(two["coarse_functions"], with["coarse_functions"]);
  EXPECT_EQ(one["coarse_functions"], 0);
  EXPECT_LT(two["iterations"], one["iterations"]);
  const auto refused = thinwire("solve plate.nec --coarse on");
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(
      refused.err,
      "thinwire: --coarse: only --precond overlap has a coarse level (got --precond "
      "auto). Add --precond overlap, or leave --coarse out.\n");
}

TEST(Overlap, RefusesBoxesThatAreNone) {
  const Program thinwire;
  const auto refusal = [&](const std::string& options) {
    const auto run = thinwire("solve dipole.nec " + options);
    EXPECT_EQ(run.code, 2) << options;
    return run.err;
  };
  for (const std::string word : {"8", "8,", ",2", "8,2,1", "8,2x", "nan,1", "inf,1"})
    EXPECT_EQ(
        refusal("--precond overlap --boxes " + word),
        "thinwire: --boxes must be auto or SIDE,OVERLAP in cells, like 32,4 (got '" +
            word + "').\n");
  for (const std::string word : {"0.5,0", "8,8", "8,-1", "-8,1"})
    EXPECT_EQ(refusal("--precond overlap --boxes=" + word),
              "thinwire: --boxes must be at least one cell wide, with an overlap of 0 or "
              "more and less than that (got " +
                  word + "). Try --boxes 32,4.\n");
  EXPECT_EQ(refusal("--boxes 8,2"),
            "thinwire: --boxes: only --precond overlap has boxes (got --precond auto). "
            "Add --precond overlap, or leave --boxes out.\n");
}

TEST(Overlap, IsRefusedWithSolversThatNeedSymmetry) {
  const Program thinwire;
  for (const std::string solver : {"cg", "cocg", "cocr"}) {
    const auto run = thinwire("solve dipole.nec --precond overlap --solver " + solver);
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.err, "thinwire: --precond overlap is not symmetric, which --solver " +
                           solver +
                           " needs. Use --solver gmres, or another --precond.\n");
  }
}

}  // namespace
}  // namespace thinwire::overlap_test
