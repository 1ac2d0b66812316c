#include <gtest/gtest.h>

#include <chrono>

#include "io/result/hdf5_file.h"
#include "tests/cli/program.h"

// The report of decks, and the pattern that it asks for.

namespace thinwire::report_test {
namespace {

using namespace test;

const std::string dipole =
    "CE\nGW 1 11 0 0 -0.25 0 0 0.25 0.001\nGE 0\nEX 0 1 6 0 1 0\nFR 0 2 0 0 290 10\n";

TEST(Pattern, CoversTheSphereBesideThoseOfTheDeck) {
  const Program thinwire;
  const auto run = thinwire("solve dipole.nec --pattern -o x.h5");
  ASSERT_EQ(run.code, 0) << run.err;
  const Hdf5Reader in(thinwire / "x.h5");
  EXPECT_EQ(in.children("/pattern").size(), 2U);  // that of the deck's RP card is first
  EXPECT_EQ(in.shape("/pattern/0/gain_dbi"), (Shape{2, 7, 5}));
  EXPECT_EQ(in.shape("/pattern/1/gain_dbi"), (Shape{2, 37, 73}));
  EXPECT_EQ(in.doubles("/pattern/1/theta_deg").back(), 180);
  EXPECT_EQ(in.doubles("/pattern/1/phi_deg").back(), 360);
}

TEST(Pattern, IsOneWithAnRpCardThatAsksForTheSame) {
  const Program thinwire;
  thinwire.write("same.nec", dipole + "RP 0 19 37 1000 0 0 10 10\nEN\n");
  ASSERT_EQ(thinwire("solve same.nec --pattern 10").code, 0);
  EXPECT_EQ(Hdf5Reader(thinwire / "same.h5").children("/pattern").size(), 1U);
}

TEST(Pattern, IsOfferedWhereTheDeckRequestsNothing) {
  const Program thinwire;
  thinwire.write("mute.nec", dipole + "EN\n");
  EXPECT_TRUE(contains(thinwire("solve mute.nec").err, " Give --pattern for gains.\n"));
  EXPECT_FALSE(contains(thinwire("solve mute.nec --pattern").err, "no XQ or RP card"));
  EXPECT_EQ(thinwire("report mute.nec --no-browser --quiet").err, "");
}

TEST(Pattern, IsOfTheUpperHalfAboveGround) {
  const Program thinwire;
  thinwire.write("high.nec",
                 "CE\nGW 1 11 0 0 1 0 0 1.5 0.001\nGE 1\nGN 1\nEX 0 1 6 0 1 0\n"
                 "FR 0 1 0 0 290 10\nXQ\nEN\n");
  ASSERT_EQ(thinwire("solve high.nec --pattern=15").code, 0);
  EXPECT_EQ(Hdf5Reader(thinwire / "high.h5").shape("/pattern/0/gain_dbi"),
            (Shape{1, 7, 25}));
}

TEST(Pattern, RefusesOtherSteps) {
  const Program thinwire;
  for (const char* step : {"7", "0", "30", "-5", "nan"}) {
    const auto run = thinwire(std::string("solve dipole.nec --pattern=") + step);
    EXPECT_EQ(run.code, 2) << step;
    EXPECT_EQ(test::line_count(run.err), 1U) << run.err;
  }
  EXPECT_EQ(thinwire("solve dipole.nec --pattern=x").err,
            "thinwire: solve: --pattern takes a number or none (got 'x').\n");
}

TEST(Report, SolvesDecksWithAPatternInAllDirections) {
  const Program thinwire;
  thinwire.write("rod.nec", dipole + "XQ\nEN\n");
  const auto run = thinwire("report rod.nec dipole.nec");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "wrote rod.h5\nwrote dipole.h5\nwrote rod.html\n");
  EXPECT_EQ(run.out, "");
  const std::string page = read_file(thinwire / "rod.html");
  for (const char* part : {R"("name":"rod")", R"("name":"dipole")", "centibel"})
    EXPECT_TRUE(contains(page, part));
  EXPECT_EQ(Hdf5Reader(thinwire / "rod.h5").shape("/pattern/0/gain_dbi"),
            (Shape{2, 37, 73}));
  EXPECT_EQ(Hdf5Reader(thinwire / "dipole.h5").children("/pattern").size(), 2U);
}

TEST(Report, SolvesADeckFromAPipe) {
  const Program thinwire;
  const auto run =
      thinwire.shell("mkfifo piped.nec; cat dipole.nec >piped.nec & '" +
                     std::string(THINWIRE_PROGRAM) + "' report piped.nec --no-browser");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "wrote piped.h5\nwrote piped.html\n");
}

TEST(Report, SolvesEachDeckOnceThoughTheProgramRestarts) {
  const Program thinwire;
  thinwire.write("small.nec", dipole + "EN\n");
  // Large enough to restart before it is read.
  thinwire.write("large.nec", std::string(std::size_t{2} << 20, '\n') + dipole + "EN\n");
  const auto run = thinwire("report small.nec large.nec --no-browser");
  EXPECT_EQ(run.err, "wrote small.h5\nwrote large.h5\nwrote small.html\n");
}

TEST(Report, LeavesADecksOwnPatternInAllDirectionsAlone) {
  const Program thinwire;
  thinwire.write("own.nec", dipole + "RP 0 19 37 1000 0 0 10 10\nEN\n");
  ASSERT_EQ(thinwire("report own.nec").code, 0);
  EXPECT_EQ(Hdf5Reader(thinwire / "own.h5").children("/pattern").size(), 1U);
}

/// Runs a command with a browser that notes its page and then hangs.
Program::Result with_browser(const Program& thinwire, const std::string& command) {
  std::filesystem::create_directory(thinwire / "bin");
  thinwire.write("bin/xdg-open", "#!/bin/sh\necho \"$1\" > \"$PWD/opened\"\nsleep 30\n");
  return thinwire.shell(
      "chmod +x bin/xdg-open; PATH=$PWD/bin:$PATH DISPLAY=:0 '" +
      std::string(THINWIRE_PROGRAM) + "' " + command +
      "; code=$?; for i in 1 2 3 4 5 6 7 8 9 10; do [ -s opened ] || sleep .1; "
      "done; (exit $code)");
}

TEST(Report, OpensThePageOfADeckAndDoesNotWait) {
  const Program thinwire;
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(with_browser(thinwire, "report dipole.nec").code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(25));
  EXPECT_EQ(read_file(thinwire / "opened"), (thinwire / "dipole.html").string() + "\n");
}

TEST(Report, OpensNothingForNoBrowserForResultsAndWithoutADisplay) {
  const Program thinwire;
  ASSERT_EQ(with_browser(thinwire, "report dipole.nec --no-browser").code, 0);
  ASSERT_EQ(with_browser(thinwire, "report dipole.h5").code, 0);
  ASSERT_EQ(thinwire
                .shell("unset DISPLAY WAYLAND_DISPLAY; PATH=$PWD/bin:$PATH '" +
                       std::string(THINWIRE_PROGRAM) + "' report dipole.nec")
                .code,
            0);
  EXPECT_FALSE(thinwire.has("opened"));
  EXPECT_EQ(thinwire("report dipole.h5 --no-browser").code, 2);
}

TEST(Report, NamesAFileThatIsGivenTwice) {
  const Program thinwire;
  EXPECT_EQ(thinwire("report a.h5 a.h5").err,
            "thinwire: report: a.h5 is given twice. Leave one out.\n");
}

TEST(Report, TellsTheVariantsOfTwoSweepsApart) {
  const Program thinwire;
  thinwire.write("s.nec",
                 "CE\nSY h=.25\nGW 1 5 0 0 -h 0 0 h .001\nGE\nEX 0 1 3 0 1\nXQ\nEN\n");
  ASSERT_EQ(thinwire("sweep s.nec --vary h=.2,.25 --frequency 300 -o a.h5").code, 0);
  ASSERT_EQ(thinwire("sweep s.nec --vary h=.2,.25 --frequency 310 -o b.h5").code, 0);
  ASSERT_EQ(thinwire("report a.h5 b.h5").code, 0);
  const std::string page = read_file(thinwire / "a.html");
  for (const char* name : {"a: h = 0.2", "a: h = 0.25", "b: h = 0.2", "b: h = 0.25"})
    EXPECT_TRUE(contains(page, std::string(R"("name":")") + name + '"')) << name;
}

}  // namespace
}  // namespace thinwire::report_test
