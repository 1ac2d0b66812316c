#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "io/result/checked_json.h"
#include "tests/cli/program.h"

namespace thinwire::test {
namespace {

using Changes = std::map<std::string, std::string>;

/// A command that keeps its results in a journal, and its options: what each is changed
/// to between the begin and the resumption.
struct Resumable {
  std::string command;
  int frequencies;  ///< of the deck
  int blocks;       ///< of half a kilobyte, after which the journal is full
  Changes refused;  ///< results depend on it
  Changes free;     ///< they do not: the results are those of a run with the change
};

/// A dipole at so many frequencies.
std::string deck(int frequencies) {
  return fmt::format(
      "CE\nSY h=0.25, r=0.001\nGW 1 11 0 0 -h 0 0 h r\nGE 0\nEX 0 1 6 0 1 0\n"
      "FR 0 {} 0 0 280 0.5\nRP 0 19 37 1000 0 0 10 10\nEN\n",
      frequencies);
}

const Changes how_to_solve = {{"solver", "cocg"},
                              {"precond", "block"},
                              {"boxes", "48,4 --precond overlap"},
                              {"coarse", "off --precond overlap"},
                              {"operator", "dense"},
                              {"operator-tolerance", "1e-4"},
                              {"tolerance", "1e-7"},
                              {"max-iterations", "70"},
                              {"device", "cpu"},
                              {"placement", "graph"},
                              {"precision", "single"},
                              {"mesh", "as-given"},
                              {"refine", "2"},
                              {"kernel", "reduced"},
                              {"proximity", "off"},
                              {"set", "r=0.002"},
                              {"frequency", "290:300:3"},
                              {"structure", "1"},
                              {"dialect", "nec5"},
                              {"patches", "grid"}};

Changes together(const Changes& a, Changes b) {
  b.insert(a.begin(), a.end());
  return b;
}

const Resumable solve = {"solve d.nec",
                         60,
                         600,
                         together(how_to_solve, {{"sweep", "fast"},
                                                 {"touchstone", "r.s1p"},
                                                 {"save-matrix", ""},
                                                 {"gradient", "h"},
                                                 {"pattern", "10"},
                                                 {"ranks", "2"},
                                                 {"split", "frequency"}}),
                         {{"csv", "t.csv"},
                          {"z0", "75"},
                          {"listing", "t.out"},
                          {"json", ""},
                          {"force", ""},
                          {"progress", "none"},
                          {"quiet", ""},
                          {"threads", "2"}}};

const Resumable sweep = {"sweep d.nec --vary h=0.2:0.3:40",
                         2,
                         40,
                         together(how_to_solve, {{"sweep", "fast"},
                                                 {"vary", "r=0.001,0.002"},
                                                 {"touchstone", "r.s1p"},
                                                 {"split", "variant"}}),
                         {{"csv", "t.csv"},
                          {"z0", "75"},
                          {"json", ""},
                          {"force", ""},
                          {"progress", "none"},
                          {"quiet", ""},
                          {"threads", "2"}}};

const Resumable optimize = {"optimize d.nec --vary h=0.2:0.3 --goal 'gain(90,0) max'",
                            2,
                            20,
                            together(how_to_solve, {{"sweep", "fast"},
                                                    {"vary", "r=0.001:0.002"},
                                                    {"goal", "'vswr(281) < 2'"},
                                                    {"z0", "75"}}),
                            {{"method", "cobyla"},
                             {"starts", "2"},
                             {"evaluations", "30"},
                             {"time", "1000"},
                             {"resolution", "1e-2"},
                             {"output-deck", "t.nec"},
                             {"plot", "t.html"},
                             {"json", ""},
                             {"force", ""},
                             {"progress", "none"},
                             {"quiet", ""},
                             {"threads", "2"}}};

const Resumable converge = {
    "converge d.nec",
    1,
    4,
    together(how_to_solve, {{"max-seconds", "30"}, {"reference", "8"}}),
    {{"csv", "t.csv"},
     {"plot", "t.html"},
     {"json", ""},
     {"force", ""},
     {"quiet", ""},
     {"threads", "2"}}};

void erase_times(nlohmann::json& json) {
  if (json.is_object())
    for (const char* name : {"timings_s", "seconds", "time_s"}) json.erase(name);
  if (json.is_structured())
    for (nlohmann::json& each : json) erase_times(each);
}

/// Output of a run without its times; of converge only the lines below its tables.
std::string printed(const Program::Result& run) {
  nlohmann::json json = nlohmann::json::parse(run.out, nullptr, false);
  if (!json.is_discarded()) {
    erase_times(json);
    return json.dump();
  }
  return run.out.substr(std::min(run.out.find("tag 1 segment"), run.out.size()));
}

class Resume : public ::testing::Test {
 protected:
  /// Has the next run write no file of more than `blocks` half kilobytes.
  std::string limited(int blocks, const std::string& command) const {
    return fmt::format("ulimit -c 0; ulimit -f {}; exec '{}' {}", blocks,
                       THINWIRE_PROGRAM, command);
  }

  /// A `solve` keeps a journal where it is predicted to take long: by these rates it is.
  void predict_long_solves() const {
    thinwire_.write("long.nec",
                    "CE\nGW 1 6000 0 0 0 300 0 0 0.001\nGE 0\nEX 0 1 3000 0 1 0\n"
                    "FR 0 1 0 0 290 0\nXQ\nEN\n");
    ASSERT_EQ(thinwire_("solve long.nec --dry-run --device cpu --threads 1 --mesh "
                        "as-given")
                  .code,
              0);
    auto rates = parse_checked_json(thinwire_.shell("cat cache/thinwire/cpu-*").out);
    for (auto& [name, value] : rates.items())
      if (name.ends_with("_per_s")) value = value.get<double>() / 300;
    thinwire_.write("slow", checked_json(rates));
    ASSERT_EQ(thinwire_.shell("cp slow cache/thinwire/cpu-*").code, 0);
  }

  /// Leaves r.h5.journal with the first of the results, and a copy of it in `kept`.
  void begin(const Resumable& work) const {
    thinwire_.write("d.nec", deck(work.frequencies));
    // A file that is there has the journal begun at once.
    thinwire_.write("r.h5.journal", "a header\nand a result\n");
    const auto run = thinwire_.shell(
        limited(work.blocks, work.command + " -o r.h5 --force --threads 1"));
    ASSERT_NE(run.code, 0) << run.err;
    ASSERT_TRUE(contains(run.err,
                         "(File too large). Raise the limit on the size of files "
                         "(ulimit -f)"));
    ASSERT_FALSE(thinwire_.has("r.h5"));
    ASSERT_EQ(thinwire_.shell("cp r.h5.journal kept").code, 0) << run.err;
    ASSERT_GE(line_count(read_file(thinwire_ / "kept")), 3U) << run.err;
  }

  Program::Result resumed(const std::string& command) const {
    EXPECT_EQ(thinwire_.shell("rm -f r.h5; cp kept r.h5.journal").code, 0);
    return thinwire_(command + " -o r.h5 --resume");
  }

  /// Each option of the command is in one of the two lists, and is treated so.
  void check(const Resumable& work) const {
    const std::string name = work.command.substr(0, work.command.find(' '));
    std::istringstream options(thinwire_("complete " + name + " --").out);
    for (std::string option; options >> option;) {
      option.erase(0, 2);
      // The output names the journal; the others do no work or resume it.
      if (option == "output" || option.starts_with("help") || option == "dry-run" ||
          option == "resume")
        continue;
      SCOPED_TRACE(option);
      ASSERT_EQ(work.refused.count(option) + work.free.count(option), 1U)
          << "an option that no list has: does a result depend on it?";
      const bool is_free = work.free.count(option) > 0;
      const std::string words =
          "--" + option + ' ' + (is_free ? work.free : work.refused).at(option);
      const std::string command = work.command + ' ' + words;
      const auto run = resumed(command);
      if (is_free) {
        EXPECT_EQ(run.code, 0) << run.err;
        EXPECT_EQ(printed(run), printed(thinwire_(command + " -o again.h5")));
        EXPECT_FALSE(thinwire_.has("r.h5.journal"));
      } else {
        EXPECT_NE(run.code, 0);
        EXPECT_EQ(line_count(run.err), 1U) << run.err;
        EXPECT_TRUE(contains(run.err, "--" + option));
        EXPECT_FALSE(thinwire_.has("r.h5"));
      }
    }
  }

  /// One bit of the journal is changed, at places all over it: the result is the same, or
  /// the header is refused.
  void damage(const Resumable& work, std::size_t places) const {
    const std::string kept = read_file(thinwire_ / "kept"),
                      right = printed(thinwire_(work.command + " -o again.h5"));
    for (std::size_t place = 0; place < places; ++place) {
      const std::size_t at = (2 * place + 1) * kept.size() / (2 * places);
      SCOPED_TRACE(at);
      std::string damaged = kept;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      thinwire_.write("r.h5.journal", damaged);
      const auto run = thinwire_(work.command + " -o r.h5 --resume --force");
      if (at <= kept.find('\n')) {
        EXPECT_EQ(run.code, 5) << run.err;
        EXPECT_EQ(line_count(run.err), 1U) << run.err;
      } else {
        EXPECT_EQ(run.code, 0) << run.err;
        EXPECT_TRUE(contains(run.err, "damaged"));
        EXPECT_EQ(printed(run), right);
      }
    }
  }

  /// A SIGKILL in the midst changes nothing of what comes out in the end.
  void kill(const std::string& command, int lines) const {
    const auto killed = thinwire_.shell(
        fmt::format("rm -f r.h5; : >r.h5.journal; '{}' {} -o r.h5 --force & job=$!\n"
                    "while [ $(wc -l <r.h5.journal) -lt {} ]; do sleep .01; done\n"
                    "kill -KILL $job; wait $job",
                    THINWIRE_PROGRAM, command, lines));
    ASSERT_EQ(killed.code, 137) << killed.err;
    ASSERT_FALSE(thinwire_.has("r.h5"));
    const auto resumed = thinwire_(command + " -o r.h5 --resume");
    EXPECT_EQ(printed(resumed), printed(thinwire_(command + " -o again.h5")))
        << resumed.err;
    EXPECT_TRUE(thinwire_.has("r.h5"));
    EXPECT_FALSE(thinwire_.has("r.h5.journal"));
  }

  Program thinwire_;
};

TEST_F(Resume, SolveRefusesOtherOptionsThatResultsDependOn) {
  predict_long_solves();
  begin(solve);
  check(solve);
}

TEST_F(Resume, SweepRefusesOtherOptionsThatResultsDependOn) {
  begin(sweep);
  check(sweep);
}

TEST_F(Resume, SolveGivesTheSameResultFromADamagedJournal) {
  predict_long_solves();
  begin(solve);
  damage(solve, 5);
}

TEST_F(Resume, SweepGivesTheSameResultFromADamagedJournal) {
  begin(sweep);
  damage(sweep, 5);
}

TEST_F(Resume, OptimizeRefusesOtherOptionsThatResultsDependOn) {
  begin(optimize);
  check(optimize);
}

TEST_F(Resume, ConvergeRefusesOtherOptionsThatResultsDependOn) {
  begin(converge);
  check(converge);
}

TEST_F(Resume, OptimizeGivesTheSameResultFromADamagedJournal) {
  begin(optimize);
  damage(optimize, 5);
}

TEST_F(Resume, ConvergeGivesTheSameResultFromADamagedJournal) {
  begin(converge);
  damage(converge, 5);
}

TEST_F(Resume, AJournalCutInItsHeaderIsToldOf) {
  begin(sweep);
  for (const int size : {100, 0}) {
    ASSERT_EQ(thinwire_.shell(fmt::format("truncate -s {} kept", size)).code, 0);
    const auto run = resumed(sweep.command);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.err,
              "warning: r.h5.journal: 1 line was damaged or cut short: the missing "
              "results are solved again.\nwrote r.h5\n");
  }
}

TEST_F(Resume, AFailedOutputLeavesTheJournalAndSaysSo) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  predict_long_solves();
  for (const Resumable& work : {solve, sweep, optimize, converge}) {
    SCOPED_TRACE(work.command);
    begin(work);
    const std::string output = work.command == optimize.command ? "plot" : "csv";
    const auto failed = resumed(work.command + " --" + output + " /dev/full");
    EXPECT_EQ(failed.code, 5) << failed.err;
    EXPECT_TRUE(contains(failed.err, " kept in r.h5.journal: continue with --resume.\n"));
    const auto again = thinwire_(work.command + " -o r.h5 --resume");
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_FALSE(thinwire_.has("r.h5.journal"));
    ASSERT_EQ(thinwire_.shell("rm -f r.h5*").code, 0);
  }
}

TEST_F(Resume, AJournalThatIsLeftIsRefusedBeforeAnyWork) {
  const std::string one = deck(2);
  thinwire_.write("two.nec", one.substr(0, one.find("EN")) + "NX\n" + one);
  thinwire_.write("r-2.h5.journal", "a header\nand a result\n");
  const auto refused = thinwire_("solve two.nec -o r.h5");
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "r-2.h5.journal is left"));
  EXPECT_FALSE(thinwire_.has("r.h5"));
  EXPECT_EQ(thinwire_("solve two.nec -o r.h5 --force").code, 0);
  EXPECT_TRUE(thinwire_.has("r-2.h5"));
  EXPECT_FALSE(thinwire_.has("r-2.h5.journal"));
}

/// As a kill before the first result leaves it, of one structure among several.
TEST_F(Resume, AnEmptyJournalIsBegunAnewWithAndWithoutResume) {
  const std::string one = deck(2);
  thinwire_.write("two.nec", one.substr(0, one.find("EN")) + "NX\n" + one);
  for (const char* options : {"", " --resume", " --force"}) {
    thinwire_.write("r.h5.journal", "");
    const auto run = thinwire_(std::string("solve two.nec -o r.h5") + options);
    EXPECT_EQ(run.code, 0) << options << run.err;
    EXPECT_TRUE(thinwire_.has("r.h5")) << options;
    EXPECT_FALSE(thinwire_.has("r.h5.journal")) << options;
  }
  EXPECT_TRUE(thinwire_.has("r-2.h5"));
  thinwire_.write("s.nec", deck(2));
  for (const char* options : {"", " --resume"}) {
    thinwire_.write("s.h5.journal", "");
    const auto run =
        thinwire_(std::string("sweep s.nec --vary h=.24,.25 -o s.h5") + options);
    EXPECT_EQ(run.code, 0) << options << run.err;
    EXPECT_FALSE(thinwire_.has("s.h5.journal")) << options;
  }
}

TEST_F(Resume, ASecondProcessWithTheSameOutputIsRefusedBeforeTheFirstResult) {
  predict_long_solves();
  thinwire_.write("d.nec",
                  "CE\nGW 1 901 0 0 -2 0 0 2 .0001\nGE 0\nEX 0 1 451 0 1 0\nFR 0 9 0 0 "
                  "280 1\nXQ\nEN\n");
  const auto second = thinwire_.shell(fmt::format(
      "'{0}' solve d.nec -o r.h5 --force --quiet --threads 1 & job=$!\n"
      "while [ ! -s r.h5.journal ] && kill -0 $job; do sleep .01; done\n"
      "lines=$(wc -l <r.h5.journal)\n"
      "'{0}' solve d.nec -o r.h5 --force --threads 1 >second.out 2>second.err; code=$?\n"
      "kill -KILL $job; wait $job; echo $lines; exit $code",
      THINWIRE_PROGRAM));
  EXPECT_EQ(second.out, "1\n") << "the first had a result before the second was started";
  EXPECT_EQ(second.code, 5) << second.err;
  const std::string refusal = read_file(thinwire_ / "second.err");
  EXPECT_EQ(line_count(refusal), 1U) << refusal;
  EXPECT_TRUE(contains(refusal, "is in use: process "));
}

TEST_F(Resume, OptimizeGivesTheSameAnswerAfterAKill) {
  thinwire_.write("d.nec", deck(80));  // long enough to be killed halfway
  for (const char* how : {"slsqp --starts 2", "cma-es --evaluations 60"}) {
    SCOPED_TRACE(how);
    kill(
        "optimize d.nec --vary h=0.2:0.3 --vary r=0.0005:0.005 --goal 'gain(90,0) max' "
        "--goal 'x = 20' --method " +
            std::string(how),
        12);
  }
}

TEST_F(Resume, ConvergeGivesTheSameAnswerAfterAKill) {
  thinwire_.write("d.nec",
                  "CE\nGW 1 601 0 0 -2 0 0 2 .001\nGE 0\nEX 0 1 301 0 1 0\nFR 0 1 0 0 "
                  "280\nXQ\nEN\n");
  kill("converge d.nec --operator dense", 3);
}

TEST_F(Resume, RefusesAnotherMatrixInTheFileOfTheSameName) {
  const auto keep = [&](const char* radius) {
    thinwire_.write("keep.nec", fmt::format("CE\nGW 1 9 0 0 1 0 0 3 {}\nGW 2 7 1 0 1.2 1 "
                                            ".3 2.8 .002\nGE\nFR 0 1 0 0 70\nWG\nEN\n",
                                            radius));
    EXPECT_EQ(thinwire_("solve keep.nec -o none").code, 0);
  };
  keep(".001");
  const std::string line =
      "CE\nSY x=1\nGF 0 keep.wg.h5\nGE\nTL 1 3 2 4 50 x\nEX 0 2 4 0 1\nXQ\nEN\n";
  thinwire_.write("d.nec", line);
  const std::string command = "sweep d.nec --vary x=0.5:1.5:40";
  EXPECT_NE(thinwire_.shell(limited(20, command + " -o r.h5")).code, 0);
  keep(".002");
  const auto run = thinwire_(command + " -o r.h5 --resume");
  EXPECT_EQ(run.code, 2);
  EXPECT_TRUE(contains(run.err, "another matrix (GF)"));
}

/// A file whose checksum line was hit is read as one that other programs changed.
TEST_F(Resume, InfoOfADamagedResultIsTheSameOrRefused) {
  thinwire_.write("d.nec", deck(2));
  ASSERT_EQ(thinwire_("solve d.nec -o solve.h5").code, 0);
  ASSERT_EQ(thinwire_("sweep d.nec --vary h=0.2,0.3 -o sweep.h5").code, 0);
  ASSERT_NE(thinwire_("optimize d.nec --vary h=0.2:0.3 --goal 'gain(90,0) max' "
                      "--evaluations 5 -o optimize.h5")
                .code,
            2);
  ASSERT_EQ(thinwire_("converge d.nec -o converge.h5").code, 0);
  for (const std::string name : {"solve.h5", "sweep.h5", "optimize.h5", "converge.h5"}) {
    SCOPED_TRACE(name);
    const std::string whole = read_file(thinwire_ / name),
                      right = thinwire_("info " + name).out;
    ASSERT_NE(right, "");
    for (std::size_t place = 0; place < 6; ++place) {
      const std::size_t at =
          place == 5 ? whole.size() - 3 : (2 * place + 1) * whole.size() / 11;
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << place));
      thinwire_.write(name, damaged);
      const auto run = thinwire_("info " + name);
      if (run.code == 0) {
        EXPECT_EQ(run.out, right);
      } else {
        EXPECT_EQ(run.code, 5);
        EXPECT_EQ(line_count(run.err), 1U) << run.err;
      }
    }
  }
}

}  // namespace
}  // namespace thinwire::test
