// Calls of thinwire by the names of other programs' NEC, as those programs make them.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "tests/cli/program.h"

namespace thinwire::test::seats {
namespace {

std::string called(const std::string& name, const std::string& rest) {
  return std::string("ln -sf '") + THINWIRE_PROGRAM + "' '" + name + "' && ./'" + name +
         "' " + rest;
}

TEST(Seats, Nec2dxsReadsTheNamesOfItsFiles) {
  const Program thinwire;
  // As a script with a batch file does: files.txt has a line for each name.
  thinwire.write("files.txt", "dipole.nec\r\nmodel.out\r\n");
  const auto result = thinwire.shell(called("nec2dxs11k.exe", "< files.txt"));
  EXPECT_EQ(result.code, 0) << result.err;
  const std::string listing = read_file(thinwire / "model.out");
  EXPECT_TRUE(contains(listing, "- - - ANTENNA INPUT PARAMETERS - - -"));
  EXPECT_TRUE(contains(listing, "- - - RADIATION PATTERNS - - -"));
  EXPECT_FALSE(contains(listing, "\r"));
  // Windows' line ends in the deck, and so in the listing. Upper case, names with blanks;
  // the listing is written anew.
  thinwire.write("my dipole.nec",
                 std::regex_replace(std::string(dipole_deck), std::regex("\n"), "\r\n"));
  thinwire.write("model.out", "older");
  const auto again = thinwire.shell("printf 'my dipole.nec\\nmodel.out\\n' > f && " +
                                    called("NEC2DXS3K0.EXE", "< f"));
  EXPECT_EQ(again.code, 0) << again.err;
  const std::string anew = read_file(thinwire / "model.out");
  EXPECT_TRUE(contains(anew, "- - - RADIATION PATTERNS - - -\r\n"));
  EXPECT_EQ(std::count(anew.begin(), anew.end(), '\r'),
            std::count(anew.begin(), anew.end(), '\n'));
  const auto arguments = thinwire.shell(called("nec2dxs500", "-i dipole.nec -o b.out"));
  EXPECT_EQ(arguments.code, 0) << arguments.err;
  EXPECT_TRUE(thinwire.has("b.out"));
  EXPECT_EQ(thinwire.shell(called("nec2dxs500", "< /dev/null")).code, 2);
}

// Large decks are solved after a second start of the program, which cannot read lines of
// standard input again.
TEST(Seats, Nec2dxsReadsTheNamesOnce) {
  const Program thinwire;
  thinwire.write("many.nec",
                 "CE\nGW 1 21 0 0 -.25 0 0 .25 .001\nGM 1 99 0 0 0 .5 0 0\nGE\nEX 0 1 11 "
                 "0 1\nFR 0 1 0 0 300\nXQ\nEN\n");
  const std::string two_threads =
      "env -u GOMP_SPINCOUNT -u OMP_WAIT_POLICY OMP_NUM_THREADS=2 ";
  const auto many = thinwire.shell("printf 'many.nec\\nmany.out\\n' > f && " +
                                   called("nec2dxs", "--version > /dev/null; ") +
                                   two_threads + "./nec2dxs < f");
  EXPECT_EQ(many.code, 0) << many.err;
  EXPECT_TRUE(contains(read_file(thinwire / "many.out"), "ANTENNA INPUT PARAMETERS"));
  const auto missing =
      thinwire.shell("printf 'nothere.nec\\nx.out\\n' | " + two_threads + "./nec2dxs");
  EXPECT_EQ(missing.code, 5) << missing.err;
  EXPECT_TRUE(contains(missing.err, "nothere.nec: cannot be opened")) << missing.err;
}

TEST(Seats, ErrorsCarryTheNameOfTheCall) {
  const Program thinwire;
  const auto error = [&](const std::string& name, const std::string& rest) {
    return thinwire.shell(called(name, rest)).err;
  };
  for (const char* name : {"nec2dxs11k.exe", "NEC2DXS500", "nec2c", "necpp"}) {
    EXPECT_EQ(error(name, "-q").rfind(std::string("thinwire: ") + name + ": ", 0), 0U)
        << error(name, "-q");
  }
  const std::string nec5 = error("NEC5.exe", "dipole.nec");
  EXPECT_EQ(nec5.rfind("thinwire: NEC5.exe: ", 0), 0U) << nec5;
}

TEST(Seats, Nec5TakesTwoNames) {
  const Program thinwire;
  // A quarter-wave vertical as EZNEC Pro/2 writes it: a source at a node.
  thinwire.write("EZN5.NEC",
                 "CM vertical\nCE\nGW 1,10,0.,0.,0.,0.,0.,.25,.001\nGE 1,-1\nGN 1\n"
                 "EX 0,1,-1,0,1.,0.\nFR 0,1,0,0,299.7925,0.\nPQ 0\nXQ 0\nEN\n");
  const auto result = thinwire.shell(called("NEC5.exe", "EZN5.NEC NEC5.OUT"));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(
      contains(read_file(thinwire / "NEC5.OUT"), "- - - ANTENNA INPUT PARAMETERS - - -"));
  const auto one = thinwire.shell(called("nec5", "EZN5.NEC"));
  EXPECT_EQ(one.code, 2);
  EXPECT_TRUE(contains(one.err, "two names are needed"));
}

// The program refuses other numbers before it starts Python.
TEST(Seats, CommandsOfPythonTakeFiniteNumbers) {
  const Program thinwire;
  for (const char* line :
       {"match dipole.nec --z0 nan", "temperature dipole.nec --sky nan",
        "temperature dipole.nec --ground inf", "rcs dipole.nec --eta nan",
        "rcs dipole.nec --theta 30,nan", "exposure dipole.nec --power nan"}) {
    const auto run = thinwire(line);
    EXPECT_EQ(run.code, 2) << line;
    EXPECT_TRUE(contains(run.err, "a finite number is needed"));
  }
}

}  // namespace
}  // namespace thinwire::test::seats
