#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/result/hdf5_file.h"
#include "tests/cli/program.h"

namespace thinwire {
namespace {

using namespace test;

const std::string dipole =
    "CM a dipole\nCE\n' its half\nSY h=0.25, w=1mm\nGW 1 11 0 0 -h 0 0 h w\nGE 0\n"
    "EX 0 1 6 0 1 0\nFR 0 1 0 0 299.792458 0\nXQ\nEN\n";

TEST(Optimize, WritesADeckThatReachesTheGoals) {
  const Program thinwire;
  thinwire.write("d.nec", dipole);
  const auto run = thinwire(
      "optimize d.nec --vary h=0.2:0.26 --goal 'x = 0' --goal 'r(290:300) < 80' --plot "
      "p.html");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "x = 0"));
  EXPECT_TRUE(contains(run.out, "met"));
  EXPECT_TRUE(contains(run.err, "all goals are met"));
  const std::string written = read_file(thinwire / "d-optimized.nec");
  EXPECT_TRUE(contains(written, "CM a dipole\nCE\n' its half\nSY h=0.23"));
  EXPECT_TRUE(contains(read_file(thinwire / "p.html"), "</html>"));
  const auto solved = thinwire("solve d-optimized.nec --json --quiet -o none");
  const auto z =
      nlohmann::json::parse(solved.out)["frequencies"][0]["ports"][0]["impedance_ohm"];
  EXPECT_LT(std::abs(z[1].get<double>()), 0.01);
  EXPECT_LT(z[0].get<double>(), 80);
  // It overwrites what it wrote itself.
  EXPECT_EQ(thinwire("optimize d.nec --vary h=0.2:0.26 --goal 'x = 0' --quiet").code, 0);
}

TEST(Optimize, KeepsEveryEvaluation) {
  const Program thinwire;
  thinwire.write("d.nec", dipole);
  const auto run = thinwire(
      "optimize d.nec --vary h=0.2:0.26 --vary w=0.5mm:2mm --goal '|z| min' --goal 'x > "
      "-20' -o h.h5 --output-deck none --json --evaluations 50");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["format"], "thinwire-optimization");
  EXPECT_EQ(json["goals"][1]["met"], true);
  EXPECT_FALSE(thinwire.has("d-optimized.nec"));
  const Hdf5Reader in(thinwire / "h.h5");
  const std::size_t count = json["evaluations"];
  EXPECT_LE(count, 50U);
  EXPECT_EQ(in.shape("/variable_value"), (Shape{count, 2}));
  EXPECT_EQ(in.shape("/goal_value"), (Shape{count, 2}));
  EXPECT_EQ(in.strings("/goal"), (std::vector<std::string>{"|z| min", "x > -20"}));
  const auto best =
      static_cast<std::size_t>(in.attribute_integer("/", "best_evaluation"));
  EXPECT_EQ(in.doubles("/variable_value")[2 * (best - 1)], json["variables"][0]["best"]);
  EXPECT_EQ(in.doubles("/goal_value")[2 * (best - 1)], json["goals"][0]["best"]);
  EXPECT_TRUE(contains(thinwire("info h.h5").out, "2 goals"));
}

TEST(Optimize, SaysWhatIsMissed) {
  const Program thinwire;
  thinwire.write("d.nec", dipole);
  const auto run =
      thinwire("optimize d.nec --vary h=0.24:0.26 --goal 'x < -100' -o none --quiet");
  EXPECT_EQ(run.code, 1);
  EXPECT_TRUE(contains(run.out, "missed"));
}

TEST(Optimize, SaysHowLongItWillTake) {
  const Program thinwire;
  thinwire.write("d.nec", dipole);
  const auto run =
      thinwire.succeeds("optimize d.nec --vary h=0.2:0.3 --goal 'x=0' --dry-run");
  EXPECT_TRUE(contains(run.out, "at most 2000 evaluations"));
  EXPECT_FALSE(thinwire.has("d-optimized.nec"));
}

TEST(Optimize, SaysHowLongItWillTakeInJson) {
  const Program thinwire;
  thinwire.write("d.nec", dipole);
  const auto run = thinwire(
      "optimize d.nec --vary h=0.2:0.3 --goal 'x=0' --dry-run --json --time 1e-6");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["derivatives"], "exact");
  EXPECT_EQ(json["seconds"], 1e-6);
}

TEST(Optimize, WarnsOfWhatTheBestDeckIsWarnedOf) {
  const Program thinwire;
  // The second wire within the first.
  thinwire.write("o.nec",
                 "CE\nSY d=0.3\nGW 1 11 0 0 -.24 0 0 .24 1mm\n"
                 "GW 2 11 d 0 -.22 d 0 .22 1mm\nGE 0\nEX 0 1 6 0 1\nFR 0 1 0 0 300\n"
                 "XQ\nEN\n");
  const auto run = thinwire("optimize o.nec --vary d=0:0.0015 --goal 'x < 1e6' --json");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(contains(run.err, "overlap without being joined"));
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_FALSE(json["warnings"].empty());
  const auto quiet =
      thinwire("optimize o.nec --vary d=0:0.0015 --goal 'x < 1e6' --quiet --force");
  EXPECT_TRUE(quiet.err.empty()) << quiet.err;
}

TEST(Optimize, WarnsOfBoundsThatLeaveOutTheDecksValue) {
  const Program thinwire;
  thinwire.write("d.nec", dipole);
  const auto err = [&](const std::string& bounds) {
    return thinwire(
               "optimize d.nec --evaluations 1 --goal 'r > 0' -o none --output-deck "
               "none --vary " +
               bounds)
        .err;
  };
  EXPECT_TRUE(err("h=0.3:0.4")
                  .starts_with("warning: --vary h: the deck's value 0.25 is not in "
                               "0.3:0.4. Bounds need the unit "
                               "that the deck has (145in:152in).\n"));
  EXPECT_FALSE(contains(err("h=0.2:0.26"), "--vary h:"));
}

TEST(Optimize, WarnsOfAGoalWhereNothingIsRadiated) {
  const Program thinwire;
  thinwire.write("d.nec", dipole);
  const auto run =
      thinwire("optimize d.nec --vary h=0.2:0.3 --goal 'gain(0,0) max' --evaluations 5");
  EXPECT_TRUE(contains(run.err, "hardly anything is radiated"));
}

TEST(Optimize, EndsItsOwnLineAsTheDeckDoes) {
  const Program thinwire;
  std::string text;
  for (const char c : dipole) text += c == '\n' ? "\r\n" : std::string(1, c);
  thinwire.write("d.nec", text);
  const auto run = thinwire("optimize d.nec --vary 'h =0.2:0.3' --goal 'x = 0'");
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string written = read_file(thinwire / "d-optimized.nec");
  EXPECT_EQ(std::count(written.begin(), written.end(), '\n'),
            std::count(written.begin(), written.end(), '\r'));
}

TEST(Optimize, AnInterruptKeepsTheBest) {
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    const Program thinwire;
    thinwire.write("d.nec", dipole);
    const auto run = thinwire(
        fmt::format("optimize d.nec --vary h=0.2:0.3 --vary w=0.1mm:5mm --goal "
                    "'gain(290:310:41) max' "
                    "--method cma-es --evaluations 1000000 --progress none & sleep "
                    "1; kill -{} $!; wait $!",
                    signal));
    EXPECT_EQ(run.code, 130) << run.err;
    EXPECT_TRUE(contains(run.err, "The best values so far are written"));
    EXPECT_TRUE(contains(read_file(thinwire / "d-optimized.nec"), "SY h=0."));
    EXPECT_TRUE(thinwire.has("d-optimize.h5"));
  }
}

TEST(Optimize, MeetsBoundsThatTheFirstStepsMiss) {
  const Program thinwire;
  // Two verticals over perfect ground, fed through lines: the first steps lose the
  // front-to-back ratio for the match.
  thinwire.write("v.nec",
                 "CE\nSY h1=10, h2=10, d=10.56, front=19, back=9.8, zl=50\n"
                 "GW 1 11 0 0 0 0 0 h1 0.02\nGW 2 11 -d 0 0 -d 0 h2 0.02\n"
                 "GW 3 1 0 0.05 42 0 -0.05 42 0.001\nGE 1\nGN 1\n"
                 "TL 3 1 1 1 zl front\nTL 3 1 2 1 zl back\nEX 0 3 1 0 1 0\n"
                 "FR 0 1 0 0 7.1 0\nXQ\nEN\n");
  const auto run = thinwire(
      "optimize v.nec --vary h1=8:12 --vary h2=8:12 --vary d=7:14 --vary front=15:24 "
      "--vary back=6:14 --vary zl=30:100 --starts 1 --goal 'fb(70,0) > 25' --goal "
      "'vswr < 1.05' --goal 'gain(70,0) > 6.6' -o none");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
}

/// All goals together end where two bounds are missed.
TEST(Optimize, LooksForBoundsAloneWhereItEndsWithoutThem) {
  const Program thinwire;
  const auto run = thinwire(
      "optimize '" THINWIRE_SOURCE_DIR
      "/tests/bench/optimize/verticals.nec' --vary h1=8:12 --vary h2=8:12 --vary d=7:14 "
      "--vary front=15:24 --vary back=6:14 --vary zl=30:100 --starts 1 --goal "
      "'fb(70,0) > 25' --goal 'vswr < 1.05' --goal 'gain(70,0) max' -o none --json");
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  const auto goals = nlohmann::json::parse(run.out).at("goals");
  EXPECT_GT(goals.at(2).at("best").get<double>(), 6.6) << goals;
}

TEST(Optimize, RefusesWhatItCannotDo) {
  const Program thinwire;
  thinwire.write("d.nec", dipole);
  const auto says = [&](const std::string& arguments, const std::string& text) {
    const auto run = thinwire("optimize " + arguments);
    EXPECT_EQ(run.code, 2) << arguments;
    EXPECT_TRUE(contains(run.err, text));
    EXPECT_EQ(test::line_count(run.err), 1U);
  };
  const std::string goal = " --goal 'x = 0'", vary = "d.nec --vary h=0.2:0.3";
  says("", "no deck given");
  says("d.nec" + goal, "nothing to vary");
  says(vary, "no goal");
  says("d.nec --vary q=1:2" + goal, "'q': the deck has no symbol of that name");
  says(vary + " --vary H=0.1:0.2" + goal, "given twice");
  says(vary + " --set h=0.25" + goal, "contradicts --set h");
  says(vary + " --goal 'y < 2'", "'y' is no function");
  says(vary + goal + " --method simplex", "--method must be one of auto, slsqp");
  says(vary + goal + " --starts 0", "--starts must be");
  says(vary + goal + " --evaluations 0", "--evaluations must be");
  says(vary + goal + " --evaluations -5", "(got -5)");
  says(vary + goal + " --time -1", "--time must be");
  says(vary + goal + " --resolution 0", "--resolution must be");
  says(vary + goal + " -o -", "standard output holds the table");
  says(vary + goal + " -o a.h5 --plot a.h5", "two outputs");
  thinwire.write("f.nec",
                 "CE\nSY f=300, h=.25\nGW 1 9 0 0 0 0 0 h .001\nGE\nEX 0 1 5 0 1\n"
                 "FR 0 1 0 0 f\nXQ\nEN\n");
  says("f.nec --vary f=290:310" + goal, "frequencies (FR) depend on it");
  thinwire.write("n.nec",
                 "CE\nSY n=9, h=.25\nGW 1 n 0 0 -h 0 0 h .001\nGE\nEX 0 1 5 0 1\n"
                 "FR 0 1 0 0 300\nXQ\nEN\n");
  says("n.nec --vary n=5:15" + goal, "--vary n: it changes a count");
}

TEST(Optimize, CountsVariantsThatCannotBeSolved) {
  const Program thinwire;
  // A radius that is negative below q = 0.
  thinwire.write("q.nec",
                 "CE\nSY q=0.5, h=0.24\nGW 1 9 0 0 -h 0 0 h q*2mm\nGE\nEX 0 1 5 0 1\n"
                 "FR 0 1 0 0 300\nXQ\nEN\n");
  const auto run = thinwire.succeeds(
      "optimize q.nec --vary q=-1:1 --vary h=0.2:0.26 --goal 'r max' --method cma-es "
      "--evaluations 100");
  EXPECT_TRUE(contains(run.err, "variants could not be solved. The first: q.nec:3: GW"));
  const auto none =
      thinwire("optimize q.nec --vary q=-1:-0.5 --goal 'x = 0' --evaluations 10 -o none");
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(contains(none.err, "no variant could be solved. The first: q.nec:3"));
}

TEST(Optimize, PageWithoutAVariantThatKeepsTheBoundsHasNoEmptyPicture) {
  const Program thinwire;
  thinwire.write("s.nec",
                 "CE\nSY h=.25\nGW 1 5 0 0 -h 0 0 h .001\nGE\nEX 0 1 3 0 1\nXQ\nEN\n");
  const std::string command =
      "optimize s.nec --vary h=.2:.3 --starts 1 --evaluations 5 -o none --output-deck "
      "none ";
  EXPECT_EQ(thinwire(command + "--goal 'r(300) > 1e6' --plot missed.html").code, 1);
  const std::string missed = test::read_file(thinwire / "missed.html");
  EXPECT_TRUE(contains(missed, "No variant keeps all bounds"));
  EXPECT_FALSE(contains(missed, "that keeps the bounds"));
  ASSERT_EQ(thinwire(command + "--goal 'r(300) > 1' --plot kept.html").code, 0);
  EXPECT_TRUE(contains(test::read_file(thinwire / "kept.html"), "that keeps the bounds"));
}

}  // namespace
}  // namespace thinwire
