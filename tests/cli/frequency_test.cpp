#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "io/result/hdf5_file.h"
#include "tests/cli/program.h"

// --frequency of every command that reads a deck.

namespace thinwire::frequency_test {
namespace {

using test::Program;

std::vector<double> frequencies(const Program& thinwire, const std::string& list) {
  thinwire.succeeds("solve dipole.nec -o x.h5 --frequency " + list);
  return Hdf5Reader(thinwire / "x.h5").doubles("/frequency_hz");
}

TEST(Frequency, ListsHaveRangesAndUnits) {
  const Program thinwire;
  using All = std::vector<double>;
  EXPECT_EQ(frequencies(thinwire, "290:300:3"), (All{290e6, 295e6, 300e6}));
  EXPECT_EQ(frequencies(thinwire, "290MHz:300MHz:3"), (All{290e6, 295e6, 300e6}));
  EXPECT_EQ(frequencies(thinwire, "0.3GHz"), All{0.3e9});
  EXPECT_EQ(frequencies(thinwire, "300000khz,3e8Hz,310"), (All{3e8, 3e8, 310e6}));
}

TEST(Frequency, GivesTheResultOfAnFrCard) {
  const Program thinwire;
  std::string other = test::dipole_deck;
  thinwire.write("fr.nec",
                 other.replace(other.find("FR 0 2 0 0 290 10"), 17, "FR 0 2 0 0 299 2"));
  const auto csv = [&](const std::string& arguments) {
    const auto run = thinwire.succeeds("solve " + arguments + " -o none --csv -");
    return run.out.substr(run.out.find('\n'));
  };
  EXPECT_EQ(csv("dipole.nec --frequency 299,301"), csv("fr.nec"));
}

TEST(Frequency, ADeckWithoutFrIsNotWarnedOf) {
  const Program thinwire;
  std::string without = test::dipole_deck;
  thinwire.write("n.nec", without.erase(without.find("FR 0"), 18));
  EXPECT_TRUE(contains(thinwire("solve n.nec").err, "no FR card"));
  EXPECT_EQ(thinwire("solve n.nec --frequency 300").err, "wrote n.h5\n");
}

TEST(Frequency, IsThatOfSweepConvergeOptimizeAndCheck) {
  const Program thinwire;
  std::string symbol = test::dipole_deck;
  symbol.replace(symbol.find("GW 1 11 0 0 -0.25 0 0 0.25"), 26,
                 "SY h=.25\nGW 1 11 0 0 -h 0 0 h");
  thinwire.write("s.nec", symbol);
  const auto out = [&](const std::string& arguments) {
    const auto run = thinwire.succeeds(arguments + " --frequency 303");
    return run.out;
  };
  EXPECT_TRUE(contains(out("sweep s.nec --vary h=.2,.25 -o none --csv -"), "303"));
  EXPECT_TRUE(contains(out("converge s.nec"), "at 303 MHz"));
  EXPECT_TRUE(contains(out("check s.nec"), " 303 "));
  // It is that of goals which name none.
  const auto best = [&](const std::string& goal, const std::string& more) {
    const auto run = thinwire.succeeds(
        "optimize s.nec --vary h=.2:.3 --starts 1 --output-deck none -o none --quiet "
        "--goal '" +
        goal + "'" + more);
    return std::regex_replace(run.out, std::regex(R"(\(303\)| )"), "");
  };
  EXPECT_EQ(best("vswr min", " --frequency 303"), best("vswr(303) min", ""));
}

TEST(Frequency, IsInTheSettingsOfASweepsFile) {
  const Program thinwire;
  ASSERT_EQ(thinwire("sweep dipole.nec --vary f=300 -o f.h5").code, 0);
  thinwire.write("s.nec",
                 "CE\nSY h=.25\nGW 1 5 0 0 -h 0 0 h .001\nGE\nEX 0 1 3 0 1\nXQ\nEN\n");
  ASSERT_EQ(thinwire("sweep s.nec --vary h=.2,.25 --frequency 300,301").code, 0);
  const auto settings =
      nlohmann::json::parse(Hdf5Reader(thinwire / "s-sweep.h5").text("/input/settings"));
  EXPECT_EQ(settings["frequency_hz"], (std::vector<double>{300e6, 301e6}));
}

TEST(Frequency, OptimizeTellsThatItsDeckKeepsTheFrCards) {
  const Program thinwire;
  thinwire.write("s.nec", std::string("CE\nSY h=.25\n") + (test::dipole_deck + 20));
  const auto run = thinwire(
      "optimize s.nec --vary h=.2:.3 --goal 'r > 1' --evaluations 2 -o none --frequency "
      "299:301:3");
  EXPECT_TRUE(contains(run.err,
                       "warning: s-optimized.nec: FR cards stay as they are: solve it "
                       "with --frequency 299:301:3\n"));
  const std::string deck = test::read_file(thinwire / "s-optimized.nec");
  EXPECT_TRUE(deck.starts_with(
      "CM written by thinwire optimize from s.nec --frequency 299:301:3\n"))
      << deck;
}

TEST(Frequency, IsRefusedInALine) {
  const Program thinwire;
  for (const auto& [given, problem] : std::vector<std::pair<std::string, std::string>>{
           {"144:146",
            "--frequency: a range is START:STOP:COUNT (got '144:146'). Write 144:146:21 "
            "for 21 values."},
           {"abc",
            "--frequency: a value must be a number or a formula of numbers (got 'abc')."},
           {"144:146:1",
            "--frequency: the COUNT of a range must be a whole number from 2 to 1000000 "
            "(got "
            "'1')."},
           {"0",
            "--frequency: frequencies must be between 1e-12 and 1e+12 MHz (got '0')."},
           {"144:146:0.5",
            "--frequency: the COUNT of a range must be a whole number from 2 to 1000000 "
            "(got '0.5'). For steps of 0.5 write 144:146:5."},
           {"144-146",
            "--frequency: frequencies must be between 1e-12 and 1e+12 MHz (got "
            "'144-146'). A range is START:STOP:COUNT."},
           {"-5MHz",
            "--frequency: frequencies must be between 1e-12 and 1e+12 MHz (got "
            "'-5MHz')."}}) {
    const auto run = thinwire("solve dipole.nec --frequency=" + given);
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.err, "thinwire: " + problem + "\n");
  }
  EXPECT_EQ(thinwire("sweep dipole.nec --vary f=300 --frequency 300").err,
            "thinwire: --vary f contradicts --frequency. Leave one of them out.\n");
}

}  // namespace
}  // namespace thinwire::frequency_test
