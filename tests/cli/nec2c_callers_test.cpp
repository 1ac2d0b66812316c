// Checks what programs that call nec2c rely on, each in its own way: command line, deck,
// and the places in the listing.
#include <gtest/gtest.h>

#include <cctype>
#include <complex>
#include <regex>
#include <sstream>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

using test::Program;
using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Lines words_of(const std::string& line) {
  std::istringstream in(line);
  Lines words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// The program under nec2c's name, first in PATH.
class Nec2cCallers : public ::testing::Test {
 protected:
  Nec2cCallers() {
    std::filesystem::create_directory(thinwire_ / "bin");
    std::filesystem::create_symlink(THINWIRE_PROGRAM, thinwire_ / "bin/nec2c");
  }
  Program::Result shell(const std::string& command) const {
    return thinwire_.shell("PATH=$PWD/bin:$PATH; " + command);
  }
  const Program thinwire_;
};

/// The currents of the first segment of each tag, in a pipe: the first row of ten words
/// begins the table, a blank line ends it (as roseengineering's mutual reads it).
std::vector<std::complex<double>> first_currents(const std::string& listing) {
  std::vector<std::complex<double>> currents;
  std::string tag;
  bool inside = false;
  for (const std::string& line : lines_of(listing)) {
    const Lines words = words_of(line);
    inside |= words.size() == 10 && line.find('.') != std::string::npos &&
              words[0].find_first_not_of("0123456789") == std::string::npos;
    if (!inside) continue;
    if (words.empty()) break;
    if (words[1] != tag) currents.emplace_back(std::stod(words[6]), std::stod(words[7]));
    tag = words[1];
  }
  return currents;
}

TEST_F(Nec2cCallers, MutualImpedancesFromListingsOnAPipe) {
  const auto admittances = [&](const char* drives) {
    // No comment cards; the port that is not driven has 1e-20 V.
    thinwire_.write("verticals", std::string("GW 1 21 0 0 0 0 0 20.0 0.0125\n"
                                             "GW 2 21 20 0 0 20 0 18.0 0.0125\n"
                                             "GE 1\nGN 1\nFR 0 0 0 0 3.500000\n"
                                             "LD 4 1 1 1 0.000000 0.000000\n"
                                             "LD 4 2 1 1 0.000000 0.000000\n") +
                                     drives + "XQ\nEN\n");
    const auto run = shell("nec2c -i $PWD/verticals -o /dev/stdout | cat");
    EXPECT_EQ(run.code, 0) << run.err;
    return first_currents(run.out);
  };
  const auto first = admittances("EX 0 1 1 0 1 0\nEX 0 2 1 0 1e-20 0\n");
  const auto second = admittances("EX 0 1 1 0 1e-20 0\nEX 0 2 1 0 1 0\n");
  ASSERT_EQ(first.size(), 2u);
  ASSERT_EQ(second.size(), 2u);
  // Reciprocity, to the five digits of the listing.
  EXPECT_LT(std::abs(first[1] - second[0]), 1e-4 * std::abs(first[1]));
  EXPECT_GT(std::abs(first[0] - second[1]), 0.05 * std::abs(first[0]));
}

TEST_F(Nec2cCallers, PatternsAndImpedancesByRegularExpression) {
  thinwire_.write(
      "input.nec",
      "CM sent by a server\nCE\n"
      "GW 1 21 0.000000 -5.100000 10.000000 0.000000 5.100000 10.000000 0.001000\n"
      "GE -1\nGN -1\nEX 0 1 11 0 1.0000 0.0000\n"
      "FR 0 3 0 0 14.000000 0.150000\n"
      "RP 0 19 37 1000 0.0 0.0 10.0 10.0\nEN\n");
  const auto run = shell("nec2c -i $PWD/input.nec -o $PWD/input.out");
  ASSERT_EQ(run.code, 0) << run.err;

  // Every number with a point and an exponent of two digits; the same two and three
  // heading lines before the rows, and no blank line among them (as AntennaSim reads it).
  const std::string sci = R"([+-]?\d+\.\d+E[+-]\d+)", num = R"([+-]?\d+\.?\d*)";
  std::string nine;
  for (int i = 0; i < 9; ++i) nine += R"(\s+()" + sci + ")";
  std::string seven;
  for (int i = 0; i < 7; ++i) seven += R"(\s*()" + num + ")";
  const std::regex frequency(R"(FREQUENCY\s*:\s*)" + sci + R"(\s*MHz)"),
      impedance(R"(\s*(\d+)\s+(\d+))" + nine + R"(\s*)"),
      pattern(seven + R"(\s+(\w+).*)");
  const Lines lines = lines_of(test::read_file(thinwire_ / "input.out"));
  int frequencies = 0, impedances = 0, points = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    frequencies += std::regex_search(lines[i], frequency);
    if (lines[i].find("ANTENNA INPUT PARAMETERS") != std::string::npos)
      impedances += std::regex_match(lines.at(i + 3), impedance);
    if (lines[i].find("RADIATION PATTERNS") != std::string::npos)
      for (std::size_t row = i + 5; row < lines.size() && !lines[row].empty(); ++row)
        points += std::regex_match(lines[row], pattern);
    EXPECT_FALSE(contains(lines[i], "DATA ERROR"));
  }
  EXPECT_EQ(frequencies, 3);
  EXPECT_EQ(impedances, 3);
  EXPECT_EQ(points, 3 * 19 * 37);

  thinwire_.write("input.nec", "CE\nGW 1 3 0 0 0 0 0 0 0.001\nGE\nEX 0 1 2 0 1 0\nEN\n");
  EXPECT_NE(shell("nec2c -i $PWD/input.nec -o $PWD/input.out").code, 0);
}

TEST_F(Nec2cCallers, PortCurrentsAndPowerOfSeveralTags) {
  // In a folder of its own with names relative to it; the probe of an engine that may be
  // any NEC-2, and then a run that drives one of two ports (as antennaknobs does).
  thinwire_.write("model.nec",
                  "CM two elements\nCE\n"
                  "GW 1 11 0. -.25 0. 0. .25 0. .001\nGW 2 9 .2 -.24 0. .2 .24 0. .001\n"
                  "GE 0\nEX 0 2 5 0 0.5 0.25\nFR 0 1 0 0 300. 0.\nXQ\nEN\n");
  const auto run = shell("nec2c -i model.nec -o model.out");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, "");
  const std::string listing = test::read_file(thinwire_ / "model.out");
  EXPECT_FALSE(contains(listing, "ERROR"));

  Lines port;
  std::vector<Lines> currents;
  double input_power_w = 0;
  std::string heading;
  for (const std::string& line : lines_of(listing)) {
    const Lines words = words_of(line);
    if (line.find("-----") != std::string::npos) heading = line;
    const auto under = [&](const char* name) {
      return heading.find(name) != std::string::npos;
    };
    if (line.find("INPUT POWER   =") != std::string::npos)
      input_power_w = std::stod(words.at(3));
    if (words.size() == 11 && under("ANTENNA INPUT")) port = words;
    if (words.size() == 10 && under("CURRENT (AMPS)") &&
        std::isdigit(static_cast<unsigned char>(words[0][0])))
      currents.push_back(words);
  }
  ASSERT_EQ(port.size(), 11u);
  EXPECT_EQ(port[0], "2");
  EXPECT_EQ(port[1], "16");  // the segment counts from the first of all
  EXPECT_EQ(std::stod(port[2]), 0.5);
  EXPECT_EQ(std::stod(port[3]), 0.25);
  ASSERT_EQ(currents.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(currents[i][0], std::to_string(i + 1));
    EXPECT_EQ(currents[i][1], i < 11 ? "1" : "2");
  }
  // The table has the current in the segment's middle, the port the mean over it.
  EXPECT_NEAR(std::stod(currents[15][6]), std::stod(port[4]), 0.01 * std::stod(port[4]));
  const double power_w =
      0.5 * (0.5 * std::stod(port[4]) + 0.25 * std::stod(port[5]));  // Re V I* / 2
  EXPECT_NEAR(input_power_w, power_w, 2e-4 * power_w);
}

TEST_F(Nec2cCallers, DataCardsSayWhatIsFedAndLoaded) {
  thinwire_.write("loaded.nec",
                  "CE\nSY q=13, r=25\nGW 1 9 0 0 0.5 0 0 1 .001\nGE\n"
                  "GN 2 0 0 0 q .005\nLD 4 1 3 5 r -2.5\nEX 0 1 5 0 1\nFR 0 1 0 0 300\n"
                  "RP 0 19 1 0000 0 0 10 0\nEN\n");
  ASSERT_EQ(shell("nec2c -iloaded.nec -oloaded.out").code, 0);
  std::vector<Lines> cards;
  bool results = false, before_results = true;
  for (const std::string& line : lines_of(test::read_file(thinwire_ / "loaded.out"))) {
    results |= line.find("FREQUENCY :") != std::string::npos;
    if (line.find("  DATA CARD No:") != 0) continue;
    before_results &= !results;
    cards.push_back(words_of(line));
    ASSERT_EQ(cards.back().size(), 15u) << line;
  }
  EXPECT_TRUE(before_results);
  ASSERT_EQ(cards.size(), 6u);  // GN LD EX FR RP EN
  EXPECT_EQ(cards[0][4], "GN");
  EXPECT_EQ(std::stod(cards[0][9]), 13);
  EXPECT_EQ(Lines(cards[1].begin() + 3, cards[1].begin() + 9),
            (Lines{"2", "LD", "4", "1", "3", "5"}));
  EXPECT_EQ(std::stod(cards[1][9]), 25);
  EXPECT_EQ(std::stod(cards[1][10]), -2.5);
  EXPECT_EQ(cards[2][4] + cards[2][6] + cards[2][7], "EX15");
}

}  // namespace
}  // namespace thinwire
