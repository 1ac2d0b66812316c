// Every command reads a deck as --dialect and --patches say, and files keep how it was
// read.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace thinwire::dialect_tests {
namespace {

using nlohmann::json;
using test::Program;

/// A dipole; `source` is its EX card.
std::string deck(const std::string& source) {
  return "CE\nSY h=.25\nGW 1 10 0 0 -h 0 0 h .001\nGE\n" + source +
         "\nFR 0 1 0 0 300\nXQ\nEN\n";
}

TEST(Dialects, OfADeckHoldInEveryCommand) {
  const Program thinwire;
  thinwire.write("d.nec", deck("EX 0 1 5 0 1"));
  thinwire.write("gap.nec", deck("EX 5 1 6 0 1"));
  const auto impedance = [&](const std::string& command) {
    const auto run = thinwire.succeeds(command + " --json --quiet -o none");
    return json::parse(run.out);
  };
  const json node = impedance("solve d.nec --dialect nec5")["frequencies"][0]["ports"][0],
             gap = impedance("solve gap.nec")["frequencies"][0]["ports"][0];
  EXPECT_EQ(node["gap"], "end");
  EXPECT_NEAR(node["impedance_ohm"][0].get<double>(),
              gap["impedance_ohm"][0].get<double>(), 1e-6);
  const json swept = impedance("sweep d.nec --dialect nec5 --vary h=.25");
  const json& variant = swept["variants"][0]["frequencies"][0]["ports"][0];
  EXPECT_EQ(variant["gap"], "end");
  EXPECT_EQ(variant["impedance_ohm"], node["impedance_ohm"]);

  const auto expanded = thinwire("check d.nec --expand --dialect nec5");
  thinwire.write("expanded.nec", expanded.out);
  EXPECT_EQ(impedance("solve expanded.nec")["frequencies"][0]["ports"][0]["gap"], "end");
  thinwire.succeeds(
      "optimize d.nec --dialect nec5 --vary h=.2:.26 --goal 'x = 0' --quiet -o none");
  EXPECT_TRUE(
      contains(test::read_file(thinwire / "d-optimized.nec"), "--dialect nec5\n"));
}

TEST(Dialects, StayWithFilesOfResults) {
  const Program thinwire;
  thinwire.write("d.nec", deck("EX 0 1 5 0 1"));
  std::string with_patches = deck("EX 0 1 5 0 1");
  with_patches.insert(with_patches.find("GE"),
                      "SM 1 1 .3 0 0 .3 .1 0\nSC 0 0 .3 .1 .1\n");
  thinwire.write("p.nec", with_patches);
  for (const char* command :
       {"solve d.nec --dialect nec5", "sweep d.nec --dialect nec5 --vary h=.24,.25"}) {
    ASSERT_EQ(thinwire(std::string(command) + " --quiet -o r.h5 --force").code, 0);
    ASSERT_EQ(thinwire("report r.h5 -o r.html --force").code, 0) << command;
    EXPECT_TRUE(contains(test::read_file(thinwire / "r.html"), "\"port_gap\":[2]"))
        << command;
  }
  ASSERT_EQ(thinwire("sweep p.nec --patches grid --vary h=.24,.25 --quiet -o p.h5").code,
            0);
  thinwire.succeeds("report p.h5");
}

}  // namespace
}  // namespace thinwire::dialect_tests
