// thinwire convert, and files of MMANA-GAL on the command line.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace thinwire::test::convert {
namespace {

constexpr const char* maa =
    "Loaded dipole\n*\n14.15\n***Wires***\n1\n-3.5,0,0,3.5,0,0,0.001,-1\n***Source***\n"
    "1,0\nw1c,0,1\n***Load***\n2,1\nw1c3,0,4,0,200\nw1c-3,0,4,5,200\n***Segmentation***\n"
    "400,40,2,1\n***G/H/M/R/AzEl/X***\n2,8,0,50,120,60,0\n";

double relative_difference(const nlohmann::json& a, const nlohmann::json& b) {
  const auto& za = a["frequencies"][0]["ports"][0]["impedance_ohm"];
  const auto& zb = b["frequencies"][0]["ports"][0]["impedance_ohm"];
  return std::hypot(za[0].get<double>() - zb[0].get<double>(),
                    za[1].get<double>() - zb[1].get<double>()) /
         std::hypot(za[0].get<double>(), za[1].get<double>());
}

nlohmann::json solved(const Program& thinwire, const std::string& deck) {
  const auto result = thinwire.succeeds("solve " + deck + " -o none --json --device cpu");
  return nlohmann::json::parse(result.out);
}

TEST(Convert, WritesADeckThatSolvesToTheSame) {
  const Program thinwire;
  thinwire.write("a.maa", maa);
  thinwire.write("s.nec",
                 "CE\nSY h=0.2\nGW 1 9 0 0 -h 0 0 h 1mm\nGE\nEX 0 1 5 0 1\nFR 0 1 0 0 "
                 "299.8\nXQ\nEN\n");
  const auto maa_result = thinwire.succeeds("convert a.maa a.nec");
  EXPECT_TRUE(contains(maa_result.err, "warning: a.maa:17: the file has no constants"));
  EXPECT_LT(relative_difference(solved(thinwire, "a.maa"), solved(thinwire, "a.nec")),
            1e-7);
  EXPECT_EQ(thinwire("convert s.nec t.nec --set h=0.24").code, 0);
  EXPECT_FALSE(contains(read_file(thinwire / "t.nec"), "SY"));
  EXPECT_LT(relative_difference(solved(thinwire, "s.nec --set h=0.24"),
                                solved(thinwire, "t.nec")),
            1e-7);
  // Its own files are written again, and a file on a pipe is one, too.
  EXPECT_EQ(thinwire("convert s.nec t.nec").code, 0);
  EXPECT_EQ(
      thinwire.shell(std::string("'") + THINWIRE_PROGRAM + "' convert - - <a.maa >u.nec")
          .code,
      0);
  EXPECT_TRUE(contains(thinwire("convert s.nec - --force").err, "no file is written"));
  EXPECT_TRUE(contains(read_file(thinwire / "u.nec"), "\nGN 3 "));
}

// A terminal obeys control characters, those of C1 too, which UTF-8 has in two bytes.
TEST(Convert, ShowsCommentsWithoutControlCharactersAndWritesThemAsTheyAre) {
  const Program thinwire;
  std::string deck = test::dipole_deck;
  thinwire.write("c.nec", deck.insert(3,
                                      "caf\xe9 \x9b"
                                      "31m "));
  for (const char* command : {"check c.nec --expand", "convert c.nec -"}) {
    const auto run = thinwire.succeeds(command);
    EXPECT_TRUE(contains(run.out, "caf\xc3\xa9 \\u009b31m half-wave"));
    thinwire.write("shown.nec", run.out);
    EXPECT_EQ(thinwire("check shown.nec").out.substr(9),
              thinwire("check c.nec").out.substr(5));
  }
  EXPECT_EQ(thinwire("convert c.nec d.nec").code, 0);
  EXPECT_TRUE(contains(read_file(thinwire / "d.nec"),
                       "caf\xc3\xa9 \xc2\x9b"
                       "31m half-wave"));
}

TEST(Convert, RefusesWithoutHarm) {
  const Program thinwire;
  thinwire.write("a.maa", maa);
  const std::string before = read_file(thinwire / "dipole.nec");
  EXPECT_EQ(thinwire("convert a.maa dipole.nec").code, 5);
  EXPECT_EQ(thinwire("convert dipole.nec dipole.nec --force").code, 5);
  EXPECT_EQ(read_file(thinwire / "dipole.nec"), before);
  EXPECT_EQ(thinwire("convert a.maa dipole.nec --force").code, 0);
  for (const char* words : {"", "a.maa", "a.maa b.h5", "a.maa b.nec c.nec"})
    EXPECT_EQ(thinwire(std::string("convert ") + words).code, 2) << words;
  std::string broken = maa;
  broken.replace(broken.find("0.001"), 5, "wide");
  thinwire.write("b.maa", broken);
  const auto result = thinwire("convert b.maa b.nec");
  EXPECT_EQ(result.code, 3);
  EXPECT_TRUE(
      contains(result.err, "b.maa:6: field 7 (radius, m) must be a number (got 'wide')"));
  EXPECT_FALSE(thinwire.has("b.nec"));
}

TEST(Convert, KnowsSuffixesInCapitals) {
  const Program thinwire;
  thinwire.write("S.STL",
                 "solid s\nvertex 0 0 0\nvertex .1 0 0\nvertex 0 .1 0\nendsolid\n");
  EXPECT_EQ(thinwire("convert S.STL S.NEC --frequency 300").code, 0);
  EXPECT_NE(read_file(thinwire / "S.NEC").find("GW"), std::string::npos);
  EXPECT_EQ(thinwire("solve dipole.nec --pattern -o d.h5").code, 0);
  EXPECT_EQ(thinwire("convert d.h5 D.MSI").code, 0);
  EXPECT_TRUE(read_file(thinwire / "D.MSI").starts_with("NAME "));
}

TEST(Mmana, FilesAreSolvedCheckedAndRefined) {
  const Program thinwire;
  thinwire.write("a.maa", maa);
  for (const char* command : {"check a.maa", "converge a.maa --max-seconds .01",
                              "solve a.maa", "report a.h5 -o a.html"}) {
    const auto result = thinwire(command);
    EXPECT_EQ(result.code, 0) << command << result.err;
  }
  EXPECT_TRUE(thinwire.has("a.html"));
}

}  // namespace
}  // namespace thinwire::test::convert
