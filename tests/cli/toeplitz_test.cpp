#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/result/hdf5_file.h"
#include "tests/cli/program.h"

namespace thinwire {
namespace {

using nlohmann::json;
using test::Program;

constexpr const char* array_deck =
    "CE\nGW 1 7 0 0 -.25 0 0 .25 .001\nGM 0 2 0 0 0 .5 0 0\nGM 0 3 0 0 0 0 .5 0\nGE\n"
    "EX 0 1 4 0 1 0\nFR 0 1 0 0 299.792458\nXQ\nEN\n";

TEST(Toeplitz, TableFileAndInfoSayTheOperatorAndItsError) {
  const Program thinwire;
  thinwire.write("array.nec", array_deck);
  const auto run =
      thinwire.succeeds("solve array.nec --operator toeplitz --mesh as-given");
  EXPECT_TRUE(contains(run.out, "operator error"));
  const Hdf5Reader result(thinwire / "array.h5");
  EXPECT_EQ(result.strings("/solver/operator").at(0), "toeplitz");
  const double error = result.doubles("/solver/operator_error").at(0);
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 1e-6);
  EXPECT_EQ(json::parse(result.text("/input/options")).at("operator"), "toeplitz");
  const auto info = thinwire("info array.h5");
  EXPECT_TRUE(
      contains(info.out, "operator      toeplitz, estimated error of impedances"));
}

TEST(Toeplitz, JsonSaysTheSameOfADenseMatrixAndOfALattice) {
  const Program thinwire;
  thinwire.write("array.nec", array_deck);
  const auto solver = [&](const std::string& choice) {
    const auto run =
        thinwire.succeeds("solve array.nec -o none --json --operator " + choice);
    return json::parse(run.out).at("frequencies").at(0).at("solver");
  };
  const json dense = solver("dense"), toeplitz = solver("toeplitz");
  EXPECT_EQ(dense.at("operator"), "dense");
  EXPECT_FALSE(dense.contains("operator_error"));
  EXPECT_EQ(toeplitz.at("operator"), "toeplitz");
  EXPECT_LT(toeplitz.at("operator_error"), 1e-6);
}

TEST(Toeplitz, ADryRunSaysTheLattice) {
  const Program thinwire;
  thinwire.write("array.nec", array_deck);
  const auto run = thinwire("solve array.nec --operator toeplitz --dry-run");
  EXPECT_TRUE(contains(run.out, "x 1 places, 12 antennas, 18 displacements"));
  const json plan =
      json::parse(thinwire("solve array.nec --operator toeplitz --dry-run --json").out);
  EXPECT_EQ(plan.at("operator"), "toeplitz");
  EXPECT_EQ(plan.at("lattice").at("antennas"), 12);
  EXPECT_EQ(plan.at("lattice").at("displacements"), 18);
}

TEST(Fft, WarnsWhereTheOperatorMissesItsTolerance) {
  const Program thinwire;
  thinwire.write("array.nec", array_deck);
  const auto run = thinwire.succeeds(
      "solve array.nec -o none --operator fft --operator-tolerance 1.1e-9");
  EXPECT_TRUE(contains(run.err, "more than --operator-tolerance 1.1e-09"));
}

TEST(Toeplitz, IsRefusedWithoutALattice) {
  const Program thinwire;
  const auto run = thinwire("solve dipole.nec --operator toeplitz");
  EXPECT_NE(run.code, 0);
  EXPECT_TRUE(contains(run.err,
                       "--operator toeplitz: the antennas form no lattice (there is one "
                       "connected antenna alone). Use --operator auto."));
}

}  // namespace
}  // namespace thinwire
