#include <gtest/gtest.h>
#include <hdf5.h>

#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

using namespace test;

/// Words that `thinwire complete` offers.
std::vector<std::string> offered(const Program& thinwire, const std::string& words) {
  std::istringstream in(thinwire("complete " + words).out);
  return {std::istream_iterator<std::string>(in), {}};
}

TEST(Help, ListsEveryCommandAndTheirOptions) {
  const Program thinwire;
  const auto page = thinwire.succeeds("help");
  for (const char* command : {"solve", "check", "info", "devices", "tune", "bench",
                              "nec2c", "help", "version"}) {
    EXPECT_TRUE(contains(page.out, std::string("thinwire ") + command));
    EXPECT_EQ(thinwire(std::string("help ") + command).code, 0) << command;
  }
  EXPECT_EQ(thinwire("--help").out, page.out);
  const auto solve = thinwire("solve --help-all");
  for (const char* option :
       {"--solver",     "--precond",   "--tolerance", "--max-iterations",
        "--device",     "--placement", "--precision", "--mesh",
        "--kernel",     "--threads",   "--json",      "--csv",
        "--touchstone", "--z0",        "--listing",   "--save-matrix",
        "--dry-run",    "--progress",  "--quiet",     "--force",
        "--set"})
    EXPECT_TRUE(contains(solve.out, option));
  EXPECT_EQ(thinwire("solve --help").out, thinwire("help solve").out);
}

/// Longest line of a text.
std::size_t width_of(const std::string& text) {
  std::size_t width = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) width = std::max(width, line.size());
  return width;
}

TEST(Help, FitsAScreenAndNamesEveryOption) {
  const Program thinwire;
  for (const std::string command :
       {"solve", "sweep", "optimize", "check", "converge", "convert", "info", "report",
        "serve", "match", "exposure", "rcs", "modes", "temperature", "devices", "tune",
        "bench", "bench sparse", "bench forecast"}) {
    SCOPED_TRACE(command);
    const std::string page = thinwire(command + " --help").out,
                      all = thinwire(command + " --help-all").out;
    EXPECT_LE(line_count(page), 40U);
    EXPECT_LE(width_of(page), 100U);
    EXPECT_LE(width_of(all), 100U);
    EXPECT_FALSE(contains(page, "WORD"));
    for (const std::string& option : offered(thinwire, command + " --")) {
      if (option.starts_with("--help")) continue;
      EXPECT_TRUE(contains(page, option));
      EXPECT_TRUE(contains(all, option + ' ')) << option;
    }
  }
}

TEST(Help, ShortOptionIsTheSame) {
  const Program thinwire;
  for (const char* command :
       {"solve", "check", "info", "devices", "tune", "bench", "version", "help"}) {
    const auto brief = thinwire(std::string(command) + " -h");
    EXPECT_EQ(brief.code, 0) << command << brief.err;
    EXPECT_EQ(brief.out, thinwire(std::string(command) + " --help").out) << command;
  }
}

TEST(Help, UnknownOptionsNameTheNearestOne) {
  const Program thinwire;
  const auto run = thinwire("solve dipole.nec --slover cg");
  EXPECT_EQ(run.code, 2);
  EXPECT_TRUE(contains(run.err, "Did you mean --solver?"));
  EXPECT_FALSE(contains(thinwire("solve dipole.nec --nothing-near").err, "Did you mean"));
}

TEST(Suggestions, AreTheOptionsThatAnAbbreviationOrASlipMeans) {
  const Program thinwire;
  std::string script = "t='" THINWIRE_PROGRAM "'; ";
  std::vector<std::string> wanted;
  for (const std::string& option : offered(thinwire, "solve --")) {
    if (option.size() < 6) continue;
    const std::string most = option.substr(0, option.size() - 1);
    std::string swapped = option;
    std::swap(swapped[3], swapped[4]);
    for (const std::string& word : {most, swapped}) {
      if (word == option) continue;
      script += "$t solve d.nec " + word + " 2>&1; ";
      wanted.push_back(option);
    }
  }
  ASSERT_GT(wanted.size(), 40u);
  std::istringstream lines(thinwire.shell(script).out);
  for (const std::string& option : wanted) {
    std::string line;
    std::getline(lines, line);
    EXPECT_TRUE(contains(line + " ", option)) << option << ": " << line;
    EXPECT_TRUE(contains(line, " Did you mean --"));
  }
  EXPECT_TRUE(contains(thinwire("solve d.nec --sol").err, " Did you mean --solver? "));
}

TEST(Suggestions, AreTheCommandsThatAreMeant) {
  const Program thinwire;
  for (const std::string& command : offered(thinwire, "''")) {
    std::string slip = command;
    std::swap(slip[1], slip[2]);
    for (const std::string& word : {slip, command.substr(0, 4)}) {
      if (word == command) continue;
      const auto run = thinwire(word + " d.nec");
      EXPECT_EQ(run.code, 2);
      EXPECT_TRUE(contains(run.err, "`thinwire " + command + "`"));
    }
  }
  EXPECT_FALSE(contains(thinwire("nothing-near").err, "Did you mean"));
}

// Each line of standard error says what it is, and none goes on in another.
TEST(Messages, AreOneLineWhereAValueHasALineBreak) {
  const Program thinwire;
  thinwire.write("s.nec", std::string("CE\nSY h=.25\n") + (test::dipole_deck + 20));
  const std::vector<std::pair<std::string, std::string>> commands = {
      {"solve", "s.nec"},
      {"sweep", "s.nec --vary h=.2,.25"},
      {"optimize", "s.nec --vary h=.2:.3 --goal 'r > 1' --evaluations 2"},
      {"check", "s.nec"},
      {"converge", "s.nec --max-seconds 1e-9"},
      {"convert", "s.nec -"},
      {"info", "s.nec"},
      {"report", "s.nec"},
      {"nec2c", "-i s.nec"},
      {"bench", ""},
      {"bench sparse", ""},
      {"bench forecast", "--unknowns 1e5"},
      {"tune", ""}};
  const std::set<std::string> free_text = {
      "--output", "--output-deck", "--csv", "--html", "--plot", "--listing", "--title"};
  std::size_t errors = 0;
  for (const auto& [command, arguments] : commands)
    for (const std::string& option : offered(thinwire, command + " --")) {
      if (free_text.contains(option)) continue;
      const std::string line =
          command + " " + arguments + " " + option + "=\"$(printf '1\\n2\\233')\"";
      const auto run = thinwire(line);
      errors += run.code != 0;
      std::istringstream lines(run.err);
      for (std::string each; std::getline(lines, each);)
        EXPECT_TRUE(
            std::regex_search(each, std::regex("^(thinwire|warning|note): |^wrote ")))
            << line << "\n"
            << run.err;
      EXPECT_TRUE(run.code < 2 ||
                  run.err.find("thinwire: ") == run.err.rfind("thinwire: "))
          << line;
      EXPECT_FALSE(contains(run.err + run.out, "\xc2\x9b")) << line;
    }
  EXPECT_GT(errors, 150U);
}

/// Runs whose counts are one, of everything that is counted.
TEST(Messages, CountOneInTheSingular) {
  const Program thinwire;
  thinwire.write("one.nec",
                 "CE\nSY h=.25\nGW 1 1 0 0 -h 0 0 h .001\nGE 0\nEX 0 1 1 0 1\nFR 0 1 0 0 "
                 "300\nNE 0 2 2 2 1 0 0 .1 .1 .1\nRP 0 1 1 1001\nEN\n");
  const std::regex plural(R"((^|[^0-9.,/])1 (?!is|was|has|feeds)[a-z]+s\b)");
  std::smatch found;
  for (const char* arguments :
       {"check one.nec", "solve one.nec --solver cocg --precond none --max-iterations 1",
        "info one.h5", "solve one.nec --dry-run", "sweep one.nec --vary h=.2",
        "info one-sweep.h5", "sweep one.nec --vary f=300 --force",
        "optimize one.nec --vary h=.2:.3 --goal 'r min' --evaluations 1",
        "optimize one.nec --vary h=.2:.3 --goal 'r min' --evaluations 1 --dry-run",
        "info one-optimize.h5", "solve one.nec --touchstone one.s2p",
        "bench sparse --device cpu --matrix band1 --format csr --scale .001 --repeats "
        "1"}) {
    const auto run = thinwire(arguments);
    EXPECT_LT(run.code, 3) << run.err;
    const std::string text = run.out + run.err;
    EXPECT_FALSE(std::regex_search(text, found, plural)) << arguments << "\n" << text;
    EXPECT_FALSE(contains(text, "with :")) << arguments;
  }
}

TEST(Threads, AreNoMoreThanTheCores) {
  const Program thinwire;
  for (const char* way :
       {"'" THINWIRE_PROGRAM "' solve dipole.nec --threads 4096",
        "OMP_NUM_THREADS=4096 '" THINWIRE_PROGRAM "' solve dipole.nec"}) {
    const auto run = thinwire.shell(way);
    EXPECT_EQ(run.code, 0);
    EXPECT_TRUE(contains(run.err, " 4096 is limited to "));
  }
}

TEST(Help, NoCommandIsAUsageError) {
  const auto run = Program()("");
  EXPECT_EQ(run.code, 2);
}

TEST(Version, IsOneLine) {
  const Program thinwire;
  const auto run = thinwire("version");
  for (const char* same : {"--version", "-V", "-v"})
    EXPECT_EQ(thinwire(same).out, run.out) << same;
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out.rfind("thinwire ", 0), 0u);
  EXPECT_EQ(line_count(run.out), 1u);
}

TEST(Devices, NamesCpuAndCuda) {
  const auto run = Program()("devices");
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(contains(run.out, "cpu "));
  EXPECT_TRUE(contains(run.out, " threads"));
  EXPECT_TRUE(contains(run.out, "cuda "));
}

TEST(Info, SaysWhatAResultHolds) {
  const Program thinwire;
  ASSERT_EQ(thinwire("solve dipole.nec").code, 0);
  const auto run = thinwire.succeeds("info dipole.h5");
  for (const char* text : {"dipole.nec", "segments      11", "frequencies   2",
                           "pattern 0     2 frequencies x 7 theta x 5 phi", "1/6"})
    EXPECT_TRUE(contains(run.out, text));
}

/// Sets the format version of a result and takes `names` out of it.
void alter_result(const std::filesystem::path& path, std::int64_t version,
                  const std::vector<const char*>& names) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
  EXPECT_GE(H5Awrite(attribute, H5T_NATIVE_INT64, &version), 0);
  H5Aclose(attribute);
  for (const char* name : names) EXPECT_GE(H5Ldelete(file, name, H5P_DEFAULT), 0) << name;
  H5Fclose(file);
}

TEST(Info, ReadsFormatVersionOneButNoneToCome) {
  const Program thinwire;
  ASSERT_EQ(thinwire("solve dipole.nec").code, 0);
  const std::string before = thinwire("info dipole.h5").out;
  // Removes what version 1 did not have.
  alter_result(thinwire / "dipole.h5", 1,
               {"/segment_number", "/port_number", "/xyz", "/port/reflection",
                "/power/efficiency", "/power/balance"});
  const auto old = thinwire.succeeds("info dipole.h5");
  EXPECT_EQ(old.out, before);
  alter_result(thinwire / "dipole.h5", 3, {});
  const auto newer = thinwire("info dipole.h5");
  EXPECT_EQ(newer.code, 5);
  EXPECT_TRUE(contains(newer.err, "has format version 3, this program reads up to 2"));
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
            "thinwire: missing.h5: cannot be opened (No such file or directory). Give a "
            "file that `thinwire solve` wrote.\n");
  EXPECT_TRUE(
      contains(thinwire("info dipole.nec").err, "Give a file that `thinwire solve`"));
}

TEST(Stdout, ThatCannotBeWrittenIsExitFive) {
  const Program thinwire;
  for (const char* arguments : {"version", "help", "solve dipole.nec",
                                "solve dipole.nec --json --force", "check dipole.nec"}) {
    const auto full = thinwire(std::string(arguments) + " >/dev/full");
    EXPECT_EQ(full.code, 5) << arguments;
    EXPECT_TRUE(contains(full.err,
                         "thinwire: standard output: cannot be written (No space left on "
                         "device). Write elsewhere.\n"));
  }
}

TEST(Commands, AFileIsNone) {
  EXPECT_EQ(Program()("dipole.nec").err,
            "thinwire: 'dipole.nec' is a file, not a command. Run `thinwire solve "
            "dipole.nec`.\n");
}

TEST(Check, SummarisesTheDeck) {
  const Program thinwire;
  const auto run = thinwire.succeeds("check dipole.nec");
  EXPECT_TRUE(contains(run.out, "11 segments, 1 tag"));
  EXPECT_TRUE(contains(run.out, "segments/wavelength"));
  // Runs count from 0, as in every output.
  EXPECT_TRUE(contains(run.out, "\n    0            2             290 .. 300"));
  EXPECT_TRUE(contains(run.out, " of memory, about "));
  EXPECT_TRUE(contains(run.out, "\nno problems found: the deck can be solved\n"));
  thinwire.write("bad.nec", "CE\nGW 1 3 0 0 0 0 0 0 .001\nGE\nEN\n");
  EXPECT_EQ(thinwire("check bad.nec").code, 3);
}

/// 11 segments of a dipole from a symbol; the reference impedance from Z0.
constexpr const char* symbols_deck =
    "CE\nSY h=0.25, n=11\nGW 1 n 0 0 -h 0 0 h .001\nGE\nEX 0 1 (n+1)/2\n"
    "FR 0 1 0 0 300\nZ0 75\nXQ\nEN\n";

TEST(Check, ExpandsWhatSolveSolvesTheSame) {
  const Program thinwire;
  thinwire.write("symbols.nec", symbols_deck);
  const auto run =
      thinwire.succeeds("check --expand symbols.nec --set h=0.3 --set N=3*3");
  EXPECT_EQ(run.out,
            "CE\nGW 1 9 0 0 -0.3 0 0 0.3 0.001\nGE\nEX 0 1 5\nFR 0 1 0 0 300\nXQ\nEN\n");
  EXPECT_TRUE(contains(run.err, "symbols.nec:7: Z0 is left out"));
  thinwire.write("plain.nec", run.out);
  const auto plain = thinwire.succeeds("solve plain.nec --quiet --z0 75");
  EXPECT_EQ(thinwire("solve symbols.nec --quiet --set h=.3 --set n=9").out, plain.out);
  EXPECT_NE(thinwire("solve symbols.nec --quiet").out, plain.out);
}

TEST(Check, SetIsRefusedWhereItMeansNothing) {
  const Program thinwire;
  thinwire.write("symbols.nec", symbols_deck);
  const std::pair<const char*, const char*> cases[] = {
      {"x=1", "--set x: no SY card defines that symbol (the deck defines h, n).\n"},
      {"h", "--set must be NAME=VALUE (got 'h').\n"},
      {"h=n", "--set h: the value must be a number or a formula of numbers (got 'n').\n"},
      {"h=1/0", "--set h: '1/0': division by zero.\n"},
      {"h=1 --set H=2", "--set H is given twice. Leave one out.\n"},
  };
  for (const auto& [set, message] : cases)
    for (const char* command : {"solve", "check", "nec2c -i"}) {
      const auto run = thinwire(std::string(command) + " symbols.nec --set " + set);
      EXPECT_EQ(run.code, 2) << command;
      EXPECT_EQ(run.err, std::string("thinwire: ") + message) << command;
    }
}

TEST(Check, AllErrorsOfADeckALineEach) {
  const Program thinwire;
  thinwire.write("bad.nec",
                 "CE\nGW 1 3 0 0 0 0 0 0 .001\nGW 2 3 0 0 0 0 0 1 -1\nGE\nXQ 7\nEN\n");
  for (const char* command : {"check", "solve"}) {
    const auto run = thinwire(std::string(command) + " bad.nec");
    EXPECT_EQ(run.code, 3);
    EXPECT_EQ(line_count(run.err), 3u) << run.err;
    EXPECT_TRUE(contains(run.err, "\nthinwire: bad.nec:5: XQ"));
  }
}

TEST(Check, DecksFromPipesAndStandardInput) {
  const Program thinwire;
  EXPECT_EQ(thinwire.shell("cat dipole.nec | '" THINWIRE_PROGRAM "' check -").out,
            thinwire
                .shell("sed s/dipole/stdin/ dipole.nec >stdin && '" THINWIRE_PROGRAM
                       "' check stdin")
                .out);
  EXPECT_EQ(thinwire.shell("'" THINWIRE_PROGRAM "' solve - <dipole.nec").code, 0);
  EXPECT_TRUE(thinwire.has("stdin.h5"));
  EXPECT_EQ(thinwire.shell("'" THINWIRE_PROGRAM "' nec2c -i - <dipole.nec").code, 0);
  EXPECT_TRUE(thinwire.has("stdin.out"));
  const auto fifo = thinwire.shell(
      "mkfifo pipe.nec && (cat dipole.nec >pipe.nec &) && '" THINWIRE_PROGRAM
      "' solve pipe.nec --quiet");
  EXPECT_EQ(fifo.code, 0) << fifo.err;
  EXPECT_EQ(fifo.out, thinwire("solve dipole.nec --quiet").out);
}

TEST(Solve, ReferenceImpedanceOfTheDeckUnlessGiven) {
  const Program thinwire;
  thinwire.write("symbols.nec", symbols_deck);
  const auto reference = [&](const std::string& options) {
    const std::string json = thinwire("solve symbols.nec --json " + options).out;
    const std::string key = "\"reference_impedance_ohm\": ";
    return std::stod(json.substr(json.find(key) + key.size()));
  };
  EXPECT_EQ(reference(""), 75);
  EXPECT_EQ(reference("--z0 50"), 50);
  EXPECT_EQ(reference("--z0 300"), 300);
  EXPECT_TRUE(contains(thinwire("info symbols.h5").out, "VSWR 300"));
}

}  // namespace
}  // namespace thinwire
