#include <gtest/gtest.h>

#include <sstream>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

using namespace test;

/// Words of the first row under `heading` that starts with a number.
std::size_t first_row_words(const std::string& listing, const std::string& heading) {
  std::istringstream in(listing.substr(listing.find(heading)));
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    double first;
    if (!(cells >> first)) continue;
    std::size_t count = 1;
    for (std::string word; cells >> word;) ++count;
    return count;
  }
  return 0;
}

TEST(Nec2c, WritesTheListing) {
  const Program thinwire;
  const auto run = thinwire.succeeds("nec2c -i dipole.nec -o dipole.lst");
  EXPECT_EQ(run.out, "");
  const std::string listing = test::read_file(thinwire / "dipole.lst");
  EXPECT_EQ(first_row_words(listing, "ANTENNA INPUT PARAMETERS"), 11u);
  EXPECT_EQ(first_row_words(listing, "CURRENTS AND LOCATION"), 10u);
  EXPECT_EQ(first_row_words(listing, "90.00      0.00"), 12u);
  EXPECT_FALSE(thinwire.has("dipole.h5"));
}

TEST(Nec2c, TheNameIsEnough) {
  const Program thinwire;
  for (const std::string name : {"my-nec2c", "nec2++", "necpp"}) {
    std::filesystem::create_symlink(THINWIRE_PROGRAM, thinwire / name);
    EXPECT_EQ(thinwire.shell("./" + name + " -idipole.nec -o" + name + ".lst").code, 0);
    EXPECT_TRUE(thinwire.has(name + ".lst"));
  }
  EXPECT_TRUE(contains(thinwire.shell("./my-nec2c -v").out, "nec2c"));
  EXPECT_EQ(thinwire.shell("./my-nec2c -h").code, 0);
}

TEST(Nec2c, HelpListsAllOptions) {
  const Program thinwire;
  const auto all = thinwire.succeeds("nec2c --help-all");
  for (const char* option : {"--input DECK", "--solver auto|direct", "--set NAME=VALUE"})
    EXPECT_TRUE(contains(all.out, option));
  EXPECT_TRUE(contains(thinwire("nec2c --help").out, "--help-all"));
}

TEST(Nec2c, WithoutOutputOnlyTheLastSuffixIsReplaced) {
  const Program thinwire;
  thinwire.write("a.b.nec", test::dipole_deck);
  EXPECT_EQ(thinwire("nec2c -i a.b.nec").code, 0);
  EXPECT_TRUE(thinwire.has("a.b.out"));
}

TEST(Nec2c, PrintsTheWarningsOfSolve) {
  const Program thinwire;
  thinwire.write(
      "cross.nec",
      "GW 1 11 0 0 -0.25 0 0 0.25 0.001\nGW 2 11 -0.2 0 0 0.2 0 0 0.001\nGE 0\n"
      "EX 0 1 6 0 1 0\nFR 0 1 0 0 290 0\nXQ\nEN\n");
  for (const char* command : {"nec2c -i cross.nec", "solve cross.nec"})
    EXPECT_TRUE(contains(thinwire(command).err, "overlap without being joined"))
        << command;
}

TEST(Nec2c, ReplacesWhateverIsThereButTheDeck) {
  const Program thinwire;
  thinwire.write("dipole.out", "an older listing of another program");
  EXPECT_EQ(thinwire("nec2c -i dipole.nec").code, 0);
  EXPECT_TRUE(contains(test::read_file(thinwire / "dipole.out"), "POWER BUDGET"));
  EXPECT_EQ(thinwire("nec2c -i dipole.nec -o dipole.nec").code, 5);
  EXPECT_EQ(test::read_file(thinwire / "dipole.nec"), test::dipole_deck);
}

TEST(Nec2c, DoesNotReplaceAResult) {
  const Program thinwire;
  ASSERT_EQ(thinwire("solve dipole.nec -o r.h5").code, 0);
  const std::string before = read_file(thinwire / "r.h5");
  const auto run = thinwire("nec2c -i dipole.nec -o r.h5");
  EXPECT_NE(run.code, 0);
  EXPECT_TRUE(contains(run.err, "is a result of solve"));
  EXPECT_EQ(read_file(thinwire / "r.h5"), before);
}

TEST(Nec2c, TheListingGoesToStdoutToo) {
  const Program thinwire;
  for (const char* arguments :
       {"nec2c -i dipole.nec -o -", "nec2c -i dipole.nec -o /dev/stdout"}) {
    const auto run = thinwire.succeeds(arguments);
    EXPECT_TRUE(contains(run.out, "ANTENNA INPUT PARAMETERS"));
    EXPECT_TRUE(contains(run.out, "TOTAL RUN TIME"));
  }
  EXPECT_FALSE(thinwire.has("-"));
}

TEST(Nec2c, OverGroundTheRowsAreThoseOfNec2c) {
  const Program thinwire;
  if (thinwire.shell("command -v nec2c").code != 0) GTEST_SKIP() << "no nec2c";
  thinwire.write("ground.nec",
                 "CE\nGW 1 11 0 0 0.2 0 0 0.7 0.001\nGE 1\nGN 1\nEX 0 1 6 0 1\n"
                 "FR 0 1 0 0 300\nRP 0 19 4 1000 0 0 10 30\nRP 0 13 1 1000 -180 0 30 0\n"
                 "XQ\nEN\n");
  ASSERT_EQ(thinwire.shell("nec2c -i ground.nec -o theirs.out").code, 0);
  ASSERT_EQ(thinwire("nec2c -i ground.nec -o ours.out").code, 0);
  const auto angles = [&](const char* name) {
    return thinwire
        .shell("sed -n '/RADIATION/,$p' " + std::string(name) +
               " | grep -E '^ +-?[0-9]+[.][0-9][0-9] ' | cut -c 1-20")
        .out;
  };
  EXPECT_EQ(test::line_count(angles("theirs.out")), 50u);
  EXPECT_EQ(angles("ours.out"), angles("theirs.out"));
}

TEST(Nec2c, EveryStructureHasItsListing) {
  const Program thinwire;
  thinwire.write("two.nec",
                 "CE\nGW 1 9 0 0 -2.5 0 0 2.5 .001\nGE\nEX 0 1 5\nFR 0 1 0 0 30\nXQ\nNX\n"
                 "CE\nGW 1 9 0 0 -3 0 0 3 .001\nGE\nEX 0 1 5\nFR 0 1 0 0 25\nXQ\nEN\n");
  ASSERT_EQ(thinwire("nec2c -i two.nec -o two.out").code, 0);
  const std::string listing = read_file(thinwire / "two.out");
  EXPECT_TRUE(contains(listing, "FREQUENCY : 3.0000E+01 MHz"));
  EXPECT_TRUE(contains(listing, "FREQUENCY : 2.5000E+01 MHz"));
  const auto solved = thinwire.succeeds("solve two.nec");
  EXPECT_TRUE(thinwire.has("two.h5") && thinwire.has("two-2.h5"));
  EXPECT_TRUE(contains(solved.out, " 25 "));
  EXPECT_EQ(thinwire("solve two.nec --structure 2 -o other.h5 --json").code, 0);
  EXPECT_TRUE(
      contains(thinwire("solve two.nec --json").err, "Choose one with --structure"));
  EXPECT_TRUE(
      contains(thinwire("check two.nec --structure 3").err, "two.nec holds 2 (NX)"));
}

TEST(Nec2c, ErrorsStandInTheListingToo) {
  const Program thinwire;
  thinwire.write("bad.nec", "CE\nGW 1 3 0 0 0 0 0 1 -.001\nGE\nXQ\nEN\n");
  const auto run = thinwire("nec2c -i bad.nec");
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(contains(run.err, "bad.nec:2: GW"));
  EXPECT_TRUE(contains(test::read_file(thinwire / "bad.out"), "ERROR: bad.nec:2: GW"));
  EXPECT_EQ(thinwire("nec2c -i missing.nec -o m.out").code, 5);
  EXPECT_TRUE(contains(test::read_file(thinwire / "m.out"), "ERROR: "));
}

TEST(Nec2c, EveryErrorOfTheDeckIsALineOfTheListing) {
  const Program thinwire;
  thinwire.write("bad.nec", "CE\nGW 1 3 0 0 0 0 0 1 -.001\nGE\nXQ 9\nEN\n");
  EXPECT_EQ(thinwire("nec2c -i bad.nec").code, 3);
  const std::string listing = test::read_file(thinwire / "bad.out");
  EXPECT_TRUE(contains(listing, "\n  ERROR: bad.nec:2: GW"));
  EXPECT_TRUE(contains(listing, "\n  ERROR: bad.nec:4: XQ"));
}

TEST(Nec2c, NotConvergedIsAnError) {
  const Program thinwire;
  const auto run =
      thinwire("nec2c -i dipole.nec --solver cg --precond none --max-iterations 1");
  EXPECT_EQ(run.code, 1);
  EXPECT_TRUE(contains(run.err, "300 MHz: cg stopped after 1 "));
  EXPECT_TRUE(
      contains(test::read_file(thinwire / "dipole.out"), "\n  ERROR: 300 MHz: cg "));
}

TEST(Nec2c, TakesSolverOptions) {
  const Program thinwire;
  EXPECT_EQ(thinwire("nec2c -i dipole.nec -o a.out --mesh as-given").code, 0);
  EXPECT_EQ(thinwire("nec2c -i dipole.nec -o b.out --mesh graded").code, 0);
  const auto impedances = [&](const char* name) {
    const std::string listing = test::read_file(thinwire / name);
    const std::size_t at = listing.find("ANTENNA INPUT");
    return listing.substr(at, listing.find("CURRENTS") - at);
  };
  EXPECT_NE(impedances("a.out"), impedances("b.out"));
}

}  // namespace
}  // namespace thinwire
