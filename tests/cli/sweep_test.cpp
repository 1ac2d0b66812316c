#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/result/hdf5_file.h"
#include "tests/cli/program.h"

namespace thinwire::sweep_test {
namespace {

using namespace test;

const std::string symbols =
    "CE\nSY h=0.25, w=1mm\nGW 1 11 0 0 -h 0 0 h w\nGE 0\nEX 0 1 6 0 1 0\n"
    "FR 0 2 0 0 290 10\nRP 0 7 1 1000 0 0 30 0\nEN\n";

/// Impedance that `solve` gives.
Complex solved(const Program& thinwire, const std::string& arguments) {
  const auto run = thinwire.succeeds("solve s.nec -o none --json --quiet " + arguments);
  const auto z =
      nlohmann::json::parse(run.out)["frequencies"][1]["ports"][0]["impedance_ohm"];
  return {z[0].get<double>(), z[1].get<double>()};
}

TEST(Sweep, EveryVariantIsWhatSolveGives) {
  const Program thinwire;
  thinwire.write("s.nec", symbols);
  const auto run =
      thinwire("sweep s.nec --vary h=0.2:0.3:3 --vary w=1e-3,2e-3 --threads 2");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(test::line_count(run.out), 13U);
  EXPECT_FALSE(thinwire.has("s-sweep.h5.journal"));
  const Hdf5Reader in(thinwire / "s-sweep.h5");
  EXPECT_EQ(in.shape("/port/impedance_ohm"), (Shape{3, 2, 2, 1}));
  EXPECT_EQ(in.shape("/current/segment_current_a"), (Shape{3, 2, 2, 11}));
  EXPECT_EQ(in.doubles("/symbol_w"), (std::vector<double>{1e-3, 2e-3}));
  const std::vector<Complex> z = in.complexes("/port/impedance_ohm");
  EXPECT_EQ(z[1], solved(thinwire, "--threads 1 --set h=0.2 --set w=1e-3"));
  EXPECT_EQ(z[4 * 2 + 1 + 2], solved(thinwire, "--threads 1 --set h=0.3 --set w=2e-3"));
  EXPECT_TRUE(contains(thinwire("info s-sweep.h5").out, "h, 3 values"));
}

TEST(Sweep, TouchstoneIsAFileForEachVariant) {
  const Program thinwire;
  thinwire.write("s.nec", symbols);
  const auto run = thinwire("sweep s.nec --vary h=0.2:0.3:10 -o none --touchstone t.s1p");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_FALSE(thinwire.has("t-11.s1p") || thinwire.has("t-1.s1p"));
  ASSERT_EQ(thinwire("solve s.nec --set h=0.3 -o none --touchstone one.s1p").code, 0);
  const auto data = [&](const char* file) {
    const std::string text = read_file(thinwire / file);
    return text.substr(text.find("# HZ"));
  };
  EXPECT_EQ(data("t-10.s1p"), data("one.s1p"));
  thinwire.write("t-03.s1p", "foreign\n");
  const auto refused =
      thinwire("sweep s.nec --vary h=0.2:0.3:10 -o none --touchstone t.s1p");
  EXPECT_EQ(refused.code, 5);
  EXPECT_TRUE(contains(refused.err, "t-03.s1p"));
  EXPECT_TRUE(contains(read_file(thinwire / "t-01.s1p"), "! variant 1 of 10: h=0.2\n"));
}

TEST(Sweep, TouchstoneOfTwoPortsIsTheirMatrix) {
  const Program thinwire;
  thinwire.write(
      "two.nec",
      "CE\nSY h=.25\nGW 1 5 0 0 -h 0 0 h .001\nGW 2 5 .3 0 -h .3 0 h .001\nGE\n"
      "EX 0 1 3 0 1\nEX 0 2 3 0 1\nFR 0 1 0 0 300\nXQ\nEN\n");
  ASSERT_EQ(thinwire("sweep two.nec --vary h=.2,.25 -o none --touchstone t").code, 0);
  ASSERT_EQ(thinwire("solve two.nec -o none --touchstone one").code, 0);
  const std::string swept = read_file(thinwire / "t-2.s2p"),
                    one = read_file(thinwire / "one.s2p");
  EXPECT_EQ(swept.substr(swept.find("# HZ")), one.substr(one.find("# HZ")));
  EXPECT_EQ(thinwire("sweep two.nec --vary h=.2,.25 --touchstone -").code, 2);
  EXPECT_EQ(thinwire("sweep two.nec --vary h=.2,.25 --touchstone t.s1p").code, 2);
}

TEST(Sweep, ThreadsGiveTheSameTable) {
  const Program thinwire;
  thinwire.write("s.nec", symbols);
  const std::string command = "sweep s.nec --vary h=0.2:0.3:9 -o none --csv - --threads ";
  const auto one = thinwire(command + "1"), three = thinwire(command + "3");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.out, three.out);
  EXPECT_EQ(test::line_count(one.out), 3U + 18U);
}

TEST(Sweep, FIsTheFrequencyUnlessASymbolHasThatName) {
  const Program thinwire;
  thinwire.write("s.nec", symbols);
  const auto run = thinwire("sweep s.nec --vary f=280:320:5 -o none --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  ASSERT_EQ(json["variants"].size(), 1U);
  EXPECT_EQ(json["variants"][0]["frequencies"][2]["frequency_hz"], 300e6);
  thinwire.write("f.nec",
                 "CE\nSY f=300\nGW 1 11 0 0 -.25 0 0 .25 .001\nGE 0\nEX 0 1 6 0 1 0\n"
                 "FR 0 1 0 0 f 0\nXQ\nEN\n");
  const auto symbol = thinwire("sweep f.nec --vary f=280:320:5 -o none --json");
  ASSERT_EQ(symbol.code, 0) << symbol.err;
  EXPECT_EQ(nlohmann::json::parse(symbol.out)["variants"].size(), 5U);
}

TEST(Sweep, SolvesRunsThatDifferInFrequenciesAndPatternsOnce) {
  const Program thinwire;
  const auto deck = [](const char* second_source) {
    return fmt::format(
        "CE\nSY h=.25\nGW 1 11 0 0 -h 0 0 h .001\nGW 2 11 1 0 -h 1 0 h .001\nGE 0\n"
        "EX 0 1 6 0 1 0\nFR 0 3 0 0 299 1\nRP 0 1 2 1000 90 0 0 180\n"
        "EX 0 {} 6 0 1 0\nFR 0 1 0 0 300 0\nRP 0 37 73 1000 0 0 5 5\nEN\n",
        second_source);
  };
  thinwire.write("one.nec", deck("1"));
  thinwire.write("two.nec", deck("2"));
  const auto rows = [&](const char* name) {
    const auto run = thinwire.succeeds(
        fmt::format("sweep {} --vary f=290:310:5 -o none --json", name));
    return nlohmann::json::parse(run.out)["variants"][0]["frequencies"];
  };
  const auto one = rows("one.nec"), two = rows("two.nec");
  ASSERT_EQ(one.size(), 5U);
  ASSERT_EQ(two.size(), 10U);
  // The maximum over all directions, which only the second run asks for.
  EXPECT_GT(one[0]["gain_max_dbi"], two[0]["gain_max_dbi"]);
}

TEST(Sweep, SaysWhichFrequenciesWereModelled) {
  const Program thinwire;
  thinwire.write("s.nec", symbols);
  const std::string command =
      "sweep s.nec --vary h=0.2,0.3 --vary f=280:320:60 --sweep fast --quiet --force ";
  const auto json = nlohmann::json::parse(thinwire(command + "--json").out);
  const Hdf5Reader in(thinwire / "s-sweep.h5");
  EXPECT_EQ(in.shape("/solver/model_error"), (Shape{2, 60}));
  const std::vector<double> error = in.doubles("/solver/model_error");
  std::size_t solved = 0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    const auto& row = json["variants"][i / 60]["frequencies"][i % 60];
    EXPECT_EQ(row.contains("model_error"), !std::isnan(error[i]));
    if (std::isnan(error[i]))
      ++solved;
    else
      EXPECT_EQ(row["model_error"].get<double>(), error[i]);
  }
  EXPECT_GT(solved, 0U);
  EXPECT_LT(solved, 60U);
  const std::string said =
      fmt::format("{} of 120 frequencies were solved, the others", solved);
  EXPECT_TRUE(contains(thinwire(command).out, said));
  EXPECT_TRUE(contains(thinwire(command + "--csv -").out, "# " + said));
  EXPECT_FALSE(
      contains(thinwire("sweep s.nec --vary h=0.2,0.3 --quiet --force").out, "modelled"));
}

TEST(Sweep, GoesOnWhereItWasKilled) {
  const Program thinwire;
  thinwire.write("s.nec", symbols);
  const std::string command = "sweep s.nec --vary h=0.2:0.3:300 --csv t.csv --quiet ";
  ASSERT_EQ(thinwire(command).code, 0);
  const std::string whole = read_file(thinwire / "t.csv");
  // A kill leaves some variants, the last line cut short. The system kills a process that
  // writes files beyond its limit.
  ASSERT_NE(thinwire
                .shell("ulimit -c 0; ulimit -f 32; exec '" THINWIRE_PROGRAM
                       "' sweep s.nec --vary h=0.2:0.3:300 -o k.h5")
                .code,
            0);
  ASSERT_FALSE(thinwire.has("k.h5"));
  ASSERT_GE(test::line_count(read_file(thinwire / "k.h5.journal")), 2U);
  EXPECT_EQ(thinwire.shell("printf '{\"variant\":3,\"unk' >>k.h5.journal").code, 0);
  const auto refused = thinwire(command + "-o k.h5");
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "--resume"));
  const auto other = thinwire("sweep s.nec --vary h=0.2:0.3:301 -o k.h5 --resume");
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(contains(other.err, "other options (--vary)"));
  const auto mesh = thinwire(command + "-o k.h5 --resume --mesh as-given");
  EXPECT_TRUE(contains(mesh.err, "other options (--mesh)"));
  thinwire.write("s.nec", "CM changed\n" + symbols);
  const auto deck = thinwire(command + "-o k.h5 --resume");
  EXPECT_TRUE(contains(deck.err, "another deck"));
  thinwire.write("s.nec", symbols);
  const auto resumed = thinwire(command + "-o k.h5 --resume --threads 1");
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(read_file(thinwire / "t.csv"), whole);
  EXPECT_FALSE(thinwire.has("k.h5.journal"));
}

TEST(Sweep, KeepsNoJournalBesideADevice) {
  const Program thinwire;
  thinwire.write("s.nec", symbols);
  thinwire.succeeds("sweep s.nec --vary h=0.2,0.25 -o /dev/null");
  const auto resumed = thinwire("sweep s.nec --vary h=0.2,0.25 -o /dev/null --resume");
  EXPECT_EQ(resumed.code, 2);
  EXPECT_TRUE(contains(resumed.err, "must be a file"));
}

TEST(Sweep, RefusesResultsAndTableInOneStream) {
  const Program thinwire;
  thinwire.write("s.nec", symbols);
  for (const char* output : {"-", "/dev/stdout"}) {
    const auto run = thinwire(std::string("sweep s.nec --vary h=0.2,0.25 -o ") + output);
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.err,
              "thinwire: sweep: standard output holds the table. Name a file.\n");
  }
}

TEST(Sweep, NamesWhatIsWrong) {
  const Program thinwire;
  thinwire.write("s.nec", symbols);
  const auto says = [&](const std::string& arguments, int code, const std::string& text) {
    const auto run = thinwire("sweep s.nec -o none " + arguments);
    EXPECT_EQ(run.code, code) << arguments;
    EXPECT_TRUE(contains(run.err, text));
    EXPECT_EQ(test::line_count(run.err), 1U) << run.err;
  };
  says("", 2, "nothing to vary");
  says("--vary h", 2, "NAME=VALUE");
  says("--vary h=1:2", 2, "START:STOP:COUNT");
  says("--vary h=1:2:1", 2, "whole number");
  says("--vary h=x", 2, "a number or a formula");
  says("--vary h=1 --vary H=2", 2, "given twice");
  says("--vary h=1 --set h=2", 2, "contradicts --set h");
  says("--vary q=1,2", 2, "q");
  says("--vary f=-1", 2, "must be positive");
  says("--vary h=0.25,0", 3, "with h=0");
  says("--vary h=1 --resume", 2, "must be a file");
}

}  // namespace
}  // namespace thinwire::sweep_test
