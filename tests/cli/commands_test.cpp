#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

using test::line_count;
using test::Program;

TEST(Help, ListsEveryCommandAndTheirOptions) {
  const Program thinwire;
  const auto page = thinwire("help");
  EXPECT_EQ(page.code, 0);
  for (const char* command : {"solve", "check", "info", "devices", "tune", "bench",
                              "nec2c", "help", "version"}) {
    EXPECT_NE(page.out.find(std::string("thinwire ") + command), std::string::npos);
    EXPECT_EQ(thinwire(std::string("help ") + command).code, 0) << command;
  }
  EXPECT_EQ(thinwire("--help").out, page.out);
  const auto solve = thinwire("help solve");
  for (const char* option :
       {"--solver",     "--precond",   "--tolerance", "--max-iterations",
        "--device",     "--placement", "--precision", "--mesh",
        "--kernel",     "--threads",   "--json",      "--csv",
        "--touchstone", "--z0",        "--listing",   "--save-matrix",
        "--dry-run",    "--progress",  "--quiet",     "--force"})
    EXPECT_NE(solve.out.find(option), std::string::npos) << option;
  EXPECT_EQ(thinwire("solve --help").out, solve.out);
}

TEST(Help, NoCommandIsAUsageError) {
  const auto run = Program()("");
  EXPECT_EQ(run.code, 2);
}

TEST(Version, IsOneLine) {
  const auto run = Program()("version");
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out.rfind("thinwire ", 0), 0u);
  EXPECT_EQ(line_count(run.out), 1u);
}

TEST(Devices, NamesCpuAndCuda) {
  const auto run = Program()("devices");
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.out.find("cpu "), std::string::npos);
  EXPECT_NE(run.out.find(" threads"), std::string::npos);
  EXPECT_NE(run.out.find("cuda "), std::string::npos);
}

TEST(Info, SaysWhatAResultHolds) {
  const Program thinwire;
  ASSERT_EQ(thinwire("solve dipole.nec").code, 0);
  const auto run = thinwire("info dipole.h5");
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char* text : {"dipole.nec", "segments      11", "frequencies   2",
                           "pattern 0     2 frequencies x 7 theta x 5 phi", "1/6"})
    EXPECT_NE(run.out.find(text), std::string::npos) << text << "\n" << run.out;
}

TEST(Info, RefusesOtherFiles) {
  const Program thinwire;
  for (const char* arguments : {"info dipole.nec", "info missing.h5"}) {
    const auto run = thinwire(arguments);
    EXPECT_EQ(run.code, 5) << arguments;
    EXPECT_EQ(line_count(run.err), 1u) << run.err;
  }
}

TEST(Info, SaysWhyAFileCannotBeRead) {
  const Program thinwire;
  EXPECT_EQ(thinwire("info .").err,
            "thinwire: .: is a folder. Give a file that `thinwire solve` wrote.\n");
  EXPECT_EQ(thinwire("info missing.h5").err,
            "thinwire: missing.h5: cannot be opened (No such file or directory). Check "
            "the path and its permissions.\n");
  EXPECT_NE(thinwire("info dipole.nec").err.find("Give a file that `thinwire solve`"),
            std::string::npos);
}

TEST(Stdout, ThatCannotBeWrittenIsExitFive) {
  const Program thinwire;
  for (const char* arguments : {"version", "help", "solve dipole.nec",
                                "solve dipole.nec --json --force", "check dipole.nec"}) {
    const auto full = thinwire(std::string(arguments) + " >/dev/full");
    EXPECT_EQ(full.code, 5) << arguments;
    EXPECT_NE(full.err.find("thinwire: stdout: cannot be written (No space left on "
                            "device). Write elsewhere.\n"),
              std::string::npos)
        << full.err;
  }
}

TEST(Commands, AFileIsNone) {
  EXPECT_EQ(Program()("dipole.nec").err,
            "thinwire: 'dipole.nec' is a file, not a command. Run `thinwire solve "
            "dipole.nec`.\n");
}

TEST(Check, SummarisesTheDeck) {
  const Program thinwire;
  const auto run = thinwire("check dipole.nec");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("11 segments, 1 tags"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("segments/wavelength"), std::string::npos);
  EXPECT_NE(run.out.find("290 .. 300"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(" of memory, about "), std::string::npos) << run.out;
  thinwire.write("bad.nec", "CE\nGW 1 3 0 0 0 0 0 0 .001\nGE\nEN\n");
  EXPECT_EQ(thinwire("check bad.nec").code, 3);
}

}  // namespace
}  // namespace thinwire
