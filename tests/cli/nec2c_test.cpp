#include <gtest/gtest.h>

#include <sstream>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

using test::Program;
using test::read_file;

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
  const auto run = thinwire("nec2c -i dipole.nec -o dipole.lst");
  EXPECT_EQ(run.code, 0) << run.err;
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
  EXPECT_NE(thinwire.shell("./my-nec2c -v").out.find("nec2c"), std::string::npos);
  EXPECT_EQ(thinwire.shell("./my-nec2c -h").code, 0);
}

TEST(Nec2c, HelpListsAllOptions) {
  const Program thinwire;
  const auto all = thinwire("nec2c --help-all");
  EXPECT_EQ(all.code, 0) << all.err;
  for (const char* option : {"--input DECK", "--solver auto|direct", "--set NAME=VALUE"})
    EXPECT_NE(all.out.find(option), std::string::npos) << option;
  EXPECT_NE(thinwire("nec2c --help").out.find("--help-all"), std::string::npos);
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
    EXPECT_NE(thinwire(command).err.find("overlap without being joined"),
              std::string::npos)
        << command;
}

TEST(Nec2c, ReplacesWhateverIsThereButTheDeck) {
  const Program thinwire;
  thinwire.write("dipole.out", "an older listing of another program");
  EXPECT_EQ(thinwire("nec2c -i dipole.nec").code, 0);
  EXPECT_NE(test::read_file(thinwire / "dipole.out").find("POWER BUDGET"),
            std::string::npos);
  EXPECT_EQ(thinwire("nec2c -i dipole.nec -o dipole.nec").code, 5);
  EXPECT_EQ(test::read_file(thinwire / "dipole.nec"), test::dipole_deck);
}

TEST(Nec2c, DoesNotReplaceAResult) {
  const Program thinwire;
  ASSERT_EQ(thinwire("solve dipole.nec -o r.h5").code, 0);
  const std::string before = read_file(thinwire / "r.h5");
  const auto run = thinwire("nec2c -i dipole.nec -o r.h5");
  EXPECT_NE(run.code, 0);
  EXPECT_NE(run.err.find("is a result of solve"), std::string::npos) << run.err;
  EXPECT_EQ(read_file(thinwire / "r.h5"), before);
}

TEST(Nec2c, TheListingGoesToStdoutToo) {
  const Program thinwire;
  for (const char* arguments :
       {"nec2c -i dipole.nec -o -", "nec2c -i dipole.nec -o /dev/stdout"}) {
    const auto run = thinwire(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.out.find("ANTENNA INPUT PARAMETERS"), std::string::npos);
    EXPECT_NE(run.out.find("TOTAL RUN TIME"), std::string::npos);
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
  EXPECT_NE(listing.find("FREQUENCY : 3.0000E+01 MHz"), std::string::npos);
  EXPECT_NE(listing.find("FREQUENCY : 2.5000E+01 MHz"), std::string::npos);
  const auto solved = thinwire("solve two.nec");
  EXPECT_EQ(solved.code, 0) << solved.err;
  EXPECT_TRUE(thinwire.has("two.h5") && thinwire.has("two-2.h5"));
  EXPECT_NE(solved.out.find(" 25 "), std::string::npos);
  EXPECT_EQ(thinwire("solve two.nec --structure 2 -o other.h5 --json").code, 0);
  EXPECT_NE(thinwire("solve two.nec --json").err.find("Choose one with --structure"),
            std::string::npos);
  EXPECT_NE(thinwire("check two.nec --structure 3").err.find("two.nec holds 2 (NX)"),
            std::string::npos);
}

TEST(Nec2c, ErrorsStandInTheListingToo) {
  const Program thinwire;
  thinwire.write("bad.nec", "CE\nGW 1 3 0 0 0 0 0 1 -.001\nGE\nXQ\nEN\n");
  const auto run = thinwire("nec2c -i bad.nec");
  EXPECT_EQ(run.code, 3);
  EXPECT_NE(run.err.find("bad.nec:2: GW"), std::string::npos) << run.err;
  EXPECT_NE(test::read_file(thinwire / "bad.out").find("ERROR: bad.nec:2: GW"),
            std::string::npos);
  EXPECT_EQ(thinwire("nec2c -i missing.nec -o m.out").code, 5);
  EXPECT_NE(test::read_file(thinwire / "m.out").find("ERROR: "), std::string::npos);
}

TEST(Nec2c, EveryErrorOfTheDeckIsALineOfTheListing) {
  const Program thinwire;
  thinwire.write("bad.nec", "CE\nGW 1 3 0 0 0 0 0 1 -.001\nGE\nXQ 9\nEN\n");
  EXPECT_EQ(thinwire("nec2c -i bad.nec").code, 3);
  const std::string listing = test::read_file(thinwire / "bad.out");
  EXPECT_NE(listing.find("\n  ERROR: bad.nec:2: GW"), std::string::npos) << listing;
  EXPECT_NE(listing.find("\n  ERROR: bad.nec:4: XQ"), std::string::npos) << listing;
}

TEST(Nec2c, NotConvergedIsAnError) {
  const Program thinwire;
  const auto run =
      thinwire("nec2c -i dipole.nec --solver cg --precond none --max-iterations 1");
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("300 MHz: cg stopped after 1 "), std::string::npos) << run.err;
  EXPECT_NE(test::read_file(thinwire / "dipole.out").find("\n  ERROR: 300 MHz: cg "),
            std::string::npos);
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
