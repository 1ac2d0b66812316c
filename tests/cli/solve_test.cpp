#include <fmt/format.h>
#include <gtest/gtest.h>

#include <complex>
#include <nlohmann/json.hpp>

#include "io/result/hdf5_file.h"
#include "tests/cli/program.h"

namespace thinwire {
namespace {

using nlohmann::json;
using namespace test;

TEST(Solve, WritesTheResultAndPrintsTheTable) {
  const Program thinwire;
  const auto run = thinwire.succeeds("solve dipole.nec");
  EXPECT_EQ(line_count(run.out), 3u) << run.out;  // heading and two frequencies
  EXPECT_TRUE(contains(run.out, "290"));
  EXPECT_TRUE(contains(run.out, "1/6"));
  EXPECT_TRUE(contains(run.out, "gain max dBi"));
  ASSERT_TRUE(thinwire.has("dipole.h5"));
  EXPECT_FALSE(thinwire.has("dipole.h5.part"));
  const Hdf5Reader result(thinwire / "dipole.h5");
  EXPECT_EQ(result.shape("/port/impedance_ohm"), (Shape{2, 1}));
  EXPECT_NEAR(result.complexes("/port/impedance_ohm")[1].real(), 80, 10);
  EXPECT_EQ(result.text("/input/deck"), test::dipole_deck);
  EXPECT_TRUE(contains(result.attribute_text("/", "command_line"), "solve dipole.nec"));
}

TEST(Solve, PrintsTheFullDocumentOnRequestOnly) {
  const Program thinwire;
  const auto summary = thinwire("solve --json dipole.nec -o none"),
             full = thinwire("solve dipole.nec -o none --json full");
  ASSERT_EQ(summary.code, 0) << summary.err;
  ASSERT_EQ(full.code, 0) << full.err;
  json document = json::parse(full.out);
  EXPECT_EQ(document["mesh"].size(), 11u);
  EXPECT_EQ(document["frequencies"][0]["segment_current_a"].size(), 11u);
  EXPECT_EQ(document["frequencies"][0]["patterns"][0]["gain_dbi"].size(), 7u);
  EXPECT_FALSE(json::parse(summary.out).contains("mesh"));
  const auto refused = thinwire("solve dipole.nec --json=fully");
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "--json takes the word full or none"));
}

int threads_of(const std::filesystem::path& result) {
  return json::parse(Hdf5Reader(result).text("/input/options"))["threads"].get<int>();
}

TEST(Solve, OnlyAShortOneLeavesThreadsUnused) {
  const Program thinwire;
  ASSERT_EQ(thinwire("solve dipole.nec -o short.h5").code, 0);
  EXPECT_EQ(threads_of(thinwire / "short.h5"), 1);
  ASSERT_EQ(thinwire("solve dipole.nec --threads 2 -o asked.h5").code, 0);
  EXPECT_EQ(threads_of(thinwire / "asked.h5"), 2);
  thinwire.write("sweep.nec",
                 "CE\nGW 1 101 0 0 -1 0 0 1 .001\nGE\nEX 0 1 51 0 1 0\n"
                 "FR 0 100 0 0 100 1\nXQ\nEN\n");
  ASSERT_EQ(thinwire("solve sweep.nec").code, 0);
  EXPECT_EQ(threads_of(thinwire / "sweep.h5"), 0);
}

TEST(Solve, ADeckInAPipeOutlivesTheSecondStart) {
  const Program thinwire;
  const auto run =
      thinwire.shell(std::string("cat dipole.nec | env -u OMP_WAIT_POLICY '") +
                     THINWIRE_PROGRAM + "' solve /dev/stdin --threads 2 -o piped.h5");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(line_count(run.out), 3u) << run.out;
}

TEST(Solve, JsonIsAllThatStdoutHolds) {
  const Program thinwire;
  thinwire.write("no_en.nec", std::string(test::dipole_deck)
                                  .substr(0, std::string(test::dipole_deck).rfind("EN")));
  const auto run = thinwire.succeeds("solve no_en.nec --json --progress json");
  ASSERT_TRUE(json::accept(run.out)) << run.out;
  const json document = json::parse(run.out);
  EXPECT_EQ(document["deck"], "no_en.nec");
  EXPECT_EQ(document["segments"], 11);
  EXPECT_EQ(document["frequencies"].size(), 2u);
  EXPECT_GE(document["warnings"].size(), 1u);
  EXPECT_TRUE(contains(run.err, "warning: "));
  EXPECT_GT(document["timings_s"]["write"], 0);
  EXPECT_GE(document["timings_s"]["total"], document["timings_s"]["write"]);
}

TEST(Solve, JsonAndHdf5Agree) {
  const Program thinwire;
  const json document = json::parse(thinwire("solve dipole.nec --json").out);
  const Hdf5Reader result(thinwire / "dipole.h5");
  const json& z = document["frequencies"][1]["ports"][0]["impedance_ohm"];
  EXPECT_EQ(Complex(z[0], z[1]), result.complexes("/port/impedance_ohm")[1]);
}

TEST(Solve, AFastSweepKeepsTheHistoriesOfWhatItSolved) {
  const Program thinwire;
  const auto run = thinwire.succeeds(
      "solve dipole.nec --json=full -o f.h5 --solver cocg --sweep fast --frequency "
      "250:350:41");
  const json all = json::parse(run.out)["frequencies"];
  const Hdf5Reader result(thinwire / "f.h5");
  std::size_t solved = 0;
  for (std::size_t f = 0; f < all.size(); ++f) {
    const json& solver = all[f]["solver"];
    ASSERT_EQ(solver.contains("impedance_history_ohm"), !solver.contains("model_error"));
    if (solver.contains("model_error")) continue;
    ++solved;
    const json& history = solver["impedance_history_ohm"];
    ASSERT_EQ(history.size(), solver["residual_history"].size());
    const json &last = history.back(), &z = all[f]["ports"][0]["impedance_ohm"];
    const Complex at_last(last[0], last[1]);
    EXPECT_LT(std::abs(at_last - Complex(z[0], z[1])), 1e-4 * std::abs(at_last));
    EXPECT_EQ(result.complexes(fmt::format("/solver/impedance_history_ohm/{}", f)).back(),
              at_last);
  }
  EXPECT_GT(solved, 2u);
  EXPECT_LT(solved, 30u);
}

TEST(Solve, OtherFormats) {
  const Program thinwire;
  const auto run = thinwire.succeeds(
      "solve dipole.nec -o r.h5 --csv r.csv --touchstone r --listing r.out "
      "--save-matrix");
  EXPECT_TRUE(contains(test::read_file(thinwire / "r.csv"), "\nmhz,zreal,"));
  EXPECT_TRUE(contains(test::read_file(thinwire / "r.s1p"), "\n# HZ S RI R 50\n"));
  EXPECT_TRUE(contains(test::read_file(thinwire / "r.out"), "ANTENNA INPUT PARAMETERS"));
  const Hdf5Reader result(thinwire / "r.h5");
  const Shape shape = result.shape("/matrix/impedance_ohm");
  ASSERT_EQ(shape.size(), 2u);
  EXPECT_EQ(shape[0], shape[1]);
  // A second run may replace all of them.
  EXPECT_EQ(
      thinwire("solve dipole.nec -o r.h5 --csv r.csv --touchstone r --listing r.out")
          .code,
      0);
}

TEST(Solve, OneOutputMayGoToStdout) {
  const Program thinwire;
  ASSERT_EQ(thinwire("solve dipole.nec -o r.h5 --csv r.csv --touchstone r.s1p").code, 0);
  for (const char* to : {"-", "/dev/stdout"}) {
    const auto csv =
        thinwire.succeeds(std::string("solve dipole.nec -o none --csv ") + to);
    EXPECT_EQ(csv.out, read_file(thinwire / "r.csv"));
    EXPECT_EQ(csv.err, "");
  }
  EXPECT_EQ(thinwire("solve dipole.nec -o none --touchstone -").out,
            read_file(thinwire / "r.s1p"));
  EXPECT_EQ(thinwire("solve dipole.nec -o none --listing - | tail -n 1").code, 0);
  EXPECT_FALSE(thinwire.has("dipole.h5"));
  thinwire.succeeds("solve dipole.nec -o - >piped.h5 && true");
  EXPECT_EQ(Hdf5Reader(thinwire / "piped.h5").shape("/port/impedance_ohm"),
            (Shape{2, 1}));
  for (const char* name : {"-", "-.part", "-.s1p", "none"})
    EXPECT_FALSE(thinwire.has(name)) << name;
}

TEST(Solve, PipesAreWrittenAsTheyAre) {
  const Program thinwire;
  const auto run = thinwire.shell("mkfifo pipe && { cat pipe >got.csv & } && '" +
                                  std::string(THINWIRE_PROGRAM) +
                                  "' solve dipole.nec -o none --csv pipe; wait");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(contains(read_file(thinwire / "got.csv"), "\nmhz,zreal,"));
  EXPECT_TRUE(std::filesystem::is_fifo(thinwire / "pipe"));
}

TEST(Solve, EveryRunHasItsTouchstoneFile) {
  const Program thinwire;
  thinwire.write(
      "runs.nec",
      "CE\nGW 1 11 0 0 -.25 0 0 .25 .001\nGE\nEX 0 1 6 0 1\nFR 0 2 0 0 290 10\n"
      "XQ\nLD 4 1 6 6 50\nFR 0 3 0 0 290 10\nXQ\nEN\n");
  const auto run = thinwire.succeeds("solve runs.nec --touchstone d.s1p");
  EXPECT_TRUE(contains(run.err, "wrote d.s1p\nwrote d_run1.s1p\n"));
  EXPECT_EQ(line_count(read_file(thinwire / "d_run1.s1p")),
            line_count(read_file(thinwire / "d.s1p")) + 1);
}

TEST(Solve, AverageGainWhereTheGridIsTheSphere) {
  const Program thinwire;
  thinwire.write("sphere.nec",
                 "CE\nGW 1 11 0 0 -.25 0 0 .25 .001\nGE\nEX 0 1 6 0 1\nFR 0 1 0 0 300\n"
                 "RP 0 91 37 1000 0 0 2 10\nRP 0 46 37 1000 0 0 2 10\n"
                 "RP 0 91 37 1000 -90 0 2 10\nXQ\nEN\n");
  const json document = json::parse(thinwire("solve sphere.nec --json").out);
  std::vector<json> averages;
  for (const json& frequency : document["frequencies"])
    for (const json& pattern : frequency["patterns"])
      averages.push_back(pattern["average_gain"]);
  ASSERT_EQ(averages.size(), 3u);
  // A lossless antenna's is 1; steps of two degrees leave 1e-4 of it.
  ASSERT_TRUE(averages[0].is_number());
  EXPECT_NEAR(averages[0].get<double>(), 1, 2e-4);
  EXPECT_TRUE(averages[1].is_null());  // half of the sphere
  EXPECT_TRUE(averages[2].is_null());  // one half twice
}

TEST(Solve, TwoPortTouchstone) {
  const Program thinwire;
  thinwire.write("two.nec",
                 "CE two dipoles\nGW 1 11 0 0 -.25 0 0 .25 .001\n"
                 "GW 2 11 .3 0 -.25 .3 0 .25 .001\nGE\nEX 0 1 6 0 1\nEX 0 2 6 0 1\n"
                 "FR 0 1 0 0 299.8\nXQ\nEN\n");
  const auto run = thinwire("solve two.nec --touchstone two.s2p");
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string text = test::read_file(thinwire / "two.s2p");
  const std::string data = text.substr(text.find('\n', text.find("# HZ")) + 1);
  double f = 0, s[8];
  ASSERT_EQ(std::sscanf(data.c_str(), "%lf %lf %lf %lf %lf %lf %lf %lf %lf", &f, s, s + 1,
                        s + 2, s + 3, s + 4, s + 5, s + 6, s + 7),
            9);
  EXPECT_NEAR(s[2], s[4], 1e-8);  // reciprocal
  EXPECT_NEAR(s[3], s[5], 1e-8);
  EXPECT_NEAR(s[0], s[6], 1e-8);  // two equal dipoles
  EXPECT_LT(std::hypot(s[0], s[1]), 1);
  EXPECT_EQ(thinwire("solve two.nec --touchstone two.s1p").code, 2);
}

TEST(Solve, NotConvergedIsExitOne) {
  const Program thinwire;
  const auto run =
      thinwire("solve dipole.nec --solver cocg --precond none --max-iterations 1 --json");
  EXPECT_EQ(run.code, 1) << run.err;
  const json document = json::parse(run.out);
  EXPECT_EQ(document["frequencies"][0]["solver"]["converged"], false);
  EXPECT_TRUE(contains(run.err, "stopped after"));
  EXPECT_TRUE(contains(document["warnings"][0].get<std::string>(), "not a solution"));
  EXPECT_TRUE(thinwire.has("dipole.h5"));
}

/// Nobody may take the numbers for a solution, however they look at them.
TEST(Solve, NotConvergedIsSaidBesideTheNumbers) {
  const Program thinwire;
  const auto run = thinwire(
      "solve dipole.nec --solver cg --precond none --max-iterations 1 --quiet "
      "--csv d.csv --touchstone d.s1p --listing d.out");
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_TRUE(contains(run.out, "not converged"));
  EXPECT_TRUE(contains(read_file(thinwire / "d.csv"), "\n# 290 MHz: cg stopped after "));
  EXPECT_TRUE(contains(read_file(thinwire / "d.s1p"), "\n! 300 MHz: cg stopped after "));
  EXPECT_TRUE(contains(read_file(thinwire / "d.out"), "\n  ERROR: 290 MHz: cg stopped "));
  EXPECT_TRUE(contains(thinwire("info dipole.h5").out, "not converged"));
}

TEST(Solve, ConvergedSaysNothingOfIt) {
  const Program thinwire;
  const auto run = thinwire.succeeds("solve dipole.nec --csv d.csv --listing d.out");
  const std::string all = run.out + run.err + read_file(thinwire / "d.csv") +
                          read_file(thinwire / "d.out") + thinwire("info dipole.h5").out;
  for (const char* text : {"converged", "stopped", "ERROR"})
    EXPECT_FALSE(contains(all, text));
}

TEST(Solve, DryRunWritesNothing) {
  const Program thinwire;
  const auto table = thinwire.succeeds("solve dipole.nec --dry-run");
  EXPECT_TRUE(contains(table.out, "unknowns"));
  const auto document = json::parse(thinwire("solve dipole.nec --dry-run --json").out);
  EXPECT_EQ(document["segments"], 11);
  EXPECT_GT(document["unknowns"], 0);
  EXPECT_FALSE(thinwire.has("dipole.h5"));
}

TEST(Solve, TheKeptMatrixIsTheLastRunsWhateverItsMesh) {
  // The mesh of the loaded run is finer at the load.
  const Program thinwire;
  thinwire.write("two.nec",
                 "GW 1 21 0 0 -.25 0 0 .25 .001\nGE 0\nLD 4 1 5 5 50 0\n"
                 "EX 0 1 11 0 1 0\nFR 0 1 0 0 300 0\nXQ\nLD -1\nXQ\nEN\n");
  thinwire.write("last.nec",
                 "GW 1 21 0 0 -.25 0 0 .25 .001\nGE 0\nEX 0 1 11 0 1 0\n"
                 "FR 0 1 0 0 300 0\nXQ\nEN\n");
  for (const char* deck : {"two", "last"}) {
    thinwire.succeeds(std::string("solve --threads 1 --save-matrix ") + deck + ".nec");
  }
  const std::vector<Complex> kept =
      Hdf5Reader(thinwire / "two.h5").complexes("/matrix/impedance_ohm");
  EXPECT_EQ(kept, Hdf5Reader(thinwire / "last.h5").complexes("/matrix/impedance_ohm"));
  const json both = json::parse(thinwire("solve two.nec --json -o none").out);
  EXPECT_LT(kept.size(),
            both["unknowns"].get<std::size_t>() * both["unknowns"].get<std::size_t>());
}

TEST(Solve, DryRunCountsBandsOfTheKeptMatrixAndItsFile) {
  const Program thinwire;
  thinwire.write(
      "long.nec",
      "GW 1 1500 0 0 0 0 0 100 0.001\nGE 0\nEX 0 1 750 0 1 0\nFR 0 1 0 0 30 0\n"
      "XQ\nEN\n");
  const std::string line =
      "solve long.nec --mesh as-given --device cpu --dry-run --json ";
  const json plain = json::parse(thinwire(line).out),
             kept = json::parse(thinwire(line + "--save-matrix").out);
  const double n = plain["unknowns"];
  EXPECT_EQ(plain["device_bytes"], 0);
  EXPECT_EQ(plain["host_bytes"], plain["total_bytes"]);
  EXPECT_EQ(plain["fits"], true);
  const double more =
      kept["host_bytes"].get<double>() - plain["host_bytes"].get<double>();
  // 64 rows of it, and the tiles that these are made of.
  EXPECT_EQ(more, 3 * 64 * 16 * n);
  EXPECT_EQ(kept["saved_matrix_bytes"], 16 * n * n);
  EXPECT_FALSE(plain.contains("saved_matrix_bytes"));
  const auto table =
      thinwire("solve long.nec --mesh as-given --device cpu --dry-run --save-matrix");
  EXPECT_TRUE(contains(table.out, "\nmatrix in file  34.3 MiB\n"));
}

/// Three dipoles of 80 unknowns.
constexpr const char* three =
    "GW 1 81 0 0 -.25 0 0 .25 .001\nGW 2 81 .3 0 -.25 .3 0 .25 .001\n"
    "GW 3 81 .6 0 -.25 .6 0 .25 .001\nGE 0\nEX 0 1 41 0 1 0\nFR 0 1 0 0 300 0\nXQ\n";
constexpr const char* save_three = "solve three.nec --mesh as-given --save-matrix ";

TEST(Solve, TheKeptMatrixIsTheSameInAFileAndInAPipe) {
  const Program thinwire;
  thinwire.write("three.nec", three + std::string("EN\n"));
  const auto matrix = [&](const char* name) {
    return Hdf5Reader(thinwire / name).complexes("/matrix/impedance_ohm");
  };
  const auto run = thinwire(std::string(save_three) + "-o file.h5 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const json timings = json::parse(run.out)["timings_s"];
  EXPECT_GT(timings["write"], 0);
  ASSERT_EQ(thinwire
                .shell(std::string("'" THINWIRE_PROGRAM "' ") + save_three +
                       "-o - | cat >pipe.h5")
                .code,
            0);
  const std::vector<Complex> z = matrix("file.h5");
  ASSERT_EQ(z.size(), 240u * 240u);
  for (std::size_t i = 0; i < 240; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(z[i * 240 + j], z[j * 240 + i]);
  EXPECT_EQ(matrix("pipe.h5"), z);
  EXPECT_EQ(thinwire("info file.h5").code, 0);
  // Each of several structures has its own matrix.
  thinwire.write("two.nec", three + ("NX\n" + std::string(three)) + "EN\n");
  ASSERT_EQ(thinwire("solve two.nec --mesh as-given --save-matrix").code, 0);
  EXPECT_EQ(matrix("two.h5"), z);
  EXPECT_EQ(matrix("two-2.h5"), z);
}

TEST(Solve, AFullDiskUnderTheKeptMatrixLeavesNothing) {
  const Program thinwire;
  thinwire.write("three.nec", three + std::string("EN\n"));
  ASSERT_EQ(thinwire(std::string(save_three) + "-o whole.h5").code, 0);
  const std::size_t size = std::filesystem::file_size(thinwire / "whole.h5"),
                    matrix = 240 * 240 * 16;
  // Within the first band, within the last, behind the matrix, and in the last block.
  for (const std::size_t bytes : {16384ul, matrix - 2048, matrix + 8192, size - 512}) {
    SCOPED_TRACE(bytes);
    const auto run = thinwire.shell(fmt::format(
        "ulimit -f {}; '{}' {} --quiet", bytes / 512, THINWIRE_PROGRAM, save_three));
    EXPECT_EQ(run.code, 5) << run.err;
    EXPECT_EQ(line_count(run.err), 1u) << run.err;
    EXPECT_TRUE(contains(run.err, "three.h5.part: cannot be written ("));
    EXPECT_FALSE(thinwire.has("three.h5"));
    EXPECT_FALSE(thinwire.has("three.h5.part"));
  }
}

TEST(Solve, AnInterruptUnderTheKeptMatrixLeavesNothing) {
  const Program thinwire;
  thinwire.write("three.nec", three + std::string("EN\n"));
  // The matrix is in NAME.part when the listing is to go to a pipe that nobody reads.
  const auto run = thinwire.shell(
      std::string("mkfifo pipe; timeout 20 '" THINWIRE_PROGRAM "' ") + save_three +
      "--listing pipe & job=$!\n"
      "while [ ! -s three.h5.part ]; do sleep 0.1; done\n"
      "kill -TERM $job; wait $job");
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_EQ(run.err, "thinwire: interrupted.\n");
  EXPECT_FALSE(thinwire.has("three.h5"));
  EXPECT_FALSE(thinwire.has("three.h5.part"));
}

TEST(Solve, DryRunCountsPatterns) {
  const Program thinwire;
  thinwire.write("pattern.nec",
                 "GW 1 11 0 0 -0.25 0 0 0.25 0.001\nGE 0\nEX 0 1 6 0 1 0\n"
                 "FR 0 2 0 0 290 10\nRP 0 1000 1000 1001 0 0 0.1 0.3\nEN\n");
  const auto bytes = [&](const char* deck) {
    return json::parse(
               thinwire(std::string("solve ") + deck + " --device cpu --dry-run --json")
                   .out)["host_bytes"]
        .get<double>();
  };
  // Two million directions of 40 bytes; the peak was 292 MiB with them, 33 without.
  const double more = bytes("pattern.nec") - bytes("dipole.nec");
  EXPECT_GE(more, 80e6);
  EXPECT_LE(more, 320e6);
}

TEST(Solve, TooLittleMemoryForPatternsSaysSo) {
  const Program thinwire;
  // Nine million directions: 1.0 GiB three times over while the file is made.
  thinwire.write("pattern.nec",
                 "GW 1 11 0 0 -0.25 0 0 0.25 0.001\nGE 0\nEX 0 1 6 0 1 0\n"
                 "FR 0 3 0 0 290 5\nRP 0 3000 3000 1001 0 0 0.06 0.12\nEN\n");
  const auto run = thinwire.shell(std::string("ulimit -v 1500000; OMP_NUM_THREADS=2 '") +
                                  THINWIRE_PROGRAM + "' solve pattern.nec --device cpu");
  EXPECT_EQ(run.code, 4) << run.err;
  EXPECT_EQ(line_count(run.err), 1u) << run.err;
  EXPECT_TRUE(contains(run.err, "patterns and near fields need 3."));
  EXPECT_TRUE(contains(run.err, "fewer angles"));
}

TEST(Solve, TooLittleMemoryIsOneLineBeforeAnythingIsAllocated) {
  const Program thinwire;
  thinwire.write(
      "large.nec",
      "GW 1 20000 0 0 0 0 0 1000 0.001\nGE 0\nEX 0 1 5 0 1 0\nFR 0 1 0 0 30 0\n"
      "XQ\nEN\n");
  // 3 GiB of matrix; what the program itself takes is less than 1.
  const std::string limited = std::string("ulimit -v 1500000; OMP_NUM_THREADS=2 '") +
                              THINWIRE_PROGRAM +
                              "' solve large.nec --mesh as-given --device cpu ";
  const auto run = thinwire.shell(limited + "--solver direct");
  EXPECT_EQ(run.code, 4) << run.err;
  EXPECT_EQ(line_count(run.err), 1u) << run.err;
  for (const char* part : {"need ", "B but this machine has", "free (N = 19999)",
                           "--solver cocg", "fewer segments"})
    EXPECT_TRUE(contains(run.err, part));
  EXPECT_FALSE(thinwire.has("large.h5"));
  EXPECT_FALSE(thinwire.has("large.h5.part"));
  // A dry run says what would be needed all the same.
  const auto dry = thinwire.shell(limited + "--operator dense --dry-run");
  EXPECT_EQ(dry.code, 4);
  EXPECT_TRUE(contains(dry.out, "memory, host"));
  // Left to itself the program takes the grid, for which there is enough.
  const auto grid = thinwire.shell(limited + "--dry-run");
  EXPECT_EQ(grid.code, 0) << grid.out << grid.err;
  for (const char* part : {"operator        fft", "near field", "a product"})
    EXPECT_TRUE(contains(grid.out, part));
}

/// With memory for COCG but not for factors, `auto` has nothing to fall back to, and what
/// COCG reached is the result. With memory for neither: one line, and never a BLAS that
/// asks for its buffers forever.
TEST(Solve, WhatHasNoFallBackIsNotConverged) {
  const Program thinwire;
  thinwire.write(
      "long.nec",
      "CE\nGW 1 6000 0 0 0 0 0 300 0.001\nGE 0\nEX 0 1 3000 0 1 0\nFR 0 1 0 0 30 0\n"
      "XQ\nEN\n");
  Program::Result run;
  run.code = 4;
  // The matrix takes 288 MB, factors 576 MB more, BLAS 256 MB, the program 200 MB.
  for (int kilobytes = 500000; run.code == 4 && kilobytes <= 1000000;
       kilobytes += 100000) {
    run = thinwire.shell(fmt::format(
        "ulimit -v {}; OPENBLAS_NUM_THREADS=2 timeout -k 1 60 '{}' solve --threads 2 "
        "long.nec --mesh as-given --device cpu --max-iterations 1 --quiet",
        kilobytes, THINWIRE_PROGRAM));
    EXPECT_LE(line_count(run.err), 1u) << run.err;
  }
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_TRUE(contains(run.out, "not converged"));
  const Hdf5Reader in(thinwire / "long.h5");
  const std::vector<std::string> warnings = in.strings("/warnings");
  EXPECT_TRUE(
      contains(warnings.at(0), "there is too little memory for the direct solver"))
      << warnings[0];
}

TEST(Solve, ReflectionsReferToZ0) {
  const Program thinwire;
  const auto run =
      thinwire("solve dipole.nec --z0 75 --json --csv d.csv --touchstone d.s1p");
  ASSERT_EQ(run.code, 0) << run.err;
  const json document = json::parse(run.out);
  EXPECT_EQ(document["reference_impedance_ohm"], 75);
  const json& port = document["frequencies"][0]["ports"][0];
  const std::complex<double> z(port["impedance_ohm"][0], port["impedance_ohm"][1]),
      s(port["reflection"][0], port["reflection"][1]);
  EXPECT_LT(std::abs(s - (z - 75.0) / (z + 75.0)), 1e-12);
  EXPECT_TRUE(contains(test::read_file(thinwire / "d.csv"), "for 75 ohm"));
  EXPECT_TRUE(contains(test::read_file(thinwire / "d.s1p"), "# HZ S RI R 75\n"));
  const Hdf5Reader result(thinwire / "dipole.h5");
  EXPECT_EQ(result.attribute_real("/port", "reference_impedance_ohm"), 75);
  EXPECT_TRUE(contains(thinwire("info dipole.h5").out, "VSWR 75"));
  EXPECT_TRUE(contains(thinwire("solve dipole.nec --z0 300").out, "VSWR 300"));
}

TEST(Solve, QuietSaysNothingOnStderr) {
  const Program thinwire;
  EXPECT_EQ(thinwire("solve dipole.nec --quiet").err, "");
  EXPECT_TRUE(contains(thinwire("solve dipole.nec").err, "wrote dipole.h5"));
}

TEST(Solve, AForeignFileIsNotOverwritten) {
  const Program thinwire;
  thinwire.write("r.h5", "notes of a year");
  const auto refused = thinwire("solve dipole.nec -o r.h5");
  EXPECT_EQ(refused.code, 5);
  EXPECT_EQ(line_count(refused.err), 1u) << refused.err;
  EXPECT_EQ(test::read_file(thinwire / "r.h5"), "notes of a year");
  EXPECT_EQ(thinwire("solve dipole.nec -o r.h5 --force").code, 0);
  EXPECT_EQ(Hdf5Reader(thinwire / "r.h5").attribute_text("/", "format"), "thinwire");
}

TEST(Solve, NeverOverwritesTheDeck) {
  const Program thinwire;
  EXPECT_EQ(thinwire("solve dipole.nec --force -o dipole.nec").code, 5);
  EXPECT_EQ(test::read_file(thinwire / "dipole.nec"), test::dipole_deck);
}

TEST(Solve, FilesThatCannotBeAreExitFive) {
  const Program thinwire;
  for (const char* arguments :
       {"solve missing.nec", "solve dipole.nec -o no/such/folder/r.h5",
        "solve dipole.nec --csv no/r.csv", "solve dipole.nec -o ."}) {
    const auto run = thinwire(arguments);
    EXPECT_EQ(run.code, 5) << arguments;
    EXPECT_EQ(line_count(run.err), 1u) << run.err;
    EXPECT_EQ(run.out, "") << arguments;
  }
}

TEST(Solve, AFullDiskIsExitFiveAndLeavesNothing) {
  const Program thinwire;
  const auto run = thinwire.shell("ulimit -f 8; '" THINWIRE_PROGRAM "' solve dipole.nec");
  EXPECT_EQ(run.code, 5) << run.err;
  EXPECT_EQ(line_count(run.err), 1u) << run.err;
  EXPECT_FALSE(thinwire.has("dipole.h5"));
  EXPECT_FALSE(thinwire.has("dipole.h5.part"));
  if (!std::filesystem::exists("/dev/full")) return;
  EXPECT_EQ(thinwire.shell("'" THINWIRE_PROGRAM "' solve dipole.nec >/dev/full").code, 5);
}

TEST(Solve, BadDecksAreExitThree) {
  const Program thinwire;
  thinwire.write("radius.nec",
                 "CE\nGW 1 3 0 0 0 0 0 1 -.001\nGE\nEX 0 1 2 0 1\nXQ\nEN\n");
  thinwire.write("number.nec", "CE\nGW 1 3 0 0 0 0 0 1x .001\nGE\nXQ\nEN\n");
  for (const char* arguments : {"solve radius.nec", "solve number.nec"}) {
    const auto run = thinwire(arguments);
    EXPECT_EQ(run.code, 3) << run.err;
    EXPECT_EQ(line_count(run.err), 1u) << run.err;
    EXPECT_TRUE(contains(run.err, ".nec:2: GW"));
    EXPECT_EQ(run.out, "");
  }
}

TEST(Solve, OddFilesAreOneLineWithTheFilesName) {
  const Program thinwire;
  thinwire.shell(
      "mkdir folder.nec; : >empty.nec; ln -s loop.nec loop.nec; "
      "head -c 999 /dev/zero >zeros.nec; grep -v EX dipole.nec >unfed.nec");
  const std::pair<const char*, int> decks[] = {{"folder.nec", 5},
                                               {"loop.nec", 5},
                                               {"empty.nec", 3},
                                               {"zeros.nec", 3},
                                               {"unfed.nec", 3}};
  for (const auto& [deck, code] : decks)
    for (const char* command : {"solve ", "check ", "nec2c -o out -i "}) {
      const auto run = thinwire(std::string(command) + deck);
      EXPECT_EQ(run.code, code) << command << deck;
      EXPECT_EQ(line_count(run.err), 1u) << run.err;
      EXPECT_EQ(run.err.find("thinwire: " + std::string(deck)), 0u) << run.err;
    }
}

TEST(Solve, AnyFileNameWill) {
  const Program thinwire;
  thinwire.shell("mkdir 'my antennas'; cp dipole.nec 'my antennas/Dipöl 1.nec'");
  const auto run = thinwire.succeeds("solve 'my antennas/Dipöl 1.nec'");
  EXPECT_EQ(run.err, "wrote Dipöl 1.h5\n");
  EXPECT_EQ(thinwire("info 'Dipöl 1.h5'").code, 0);
}

TEST(Solve, AMissingGpuIsExitFour) {
#if defined(THINWIRE_WITH_CUDA)
  GTEST_SKIP() << "this build has CUDA";
#endif
  const Program thinwire;
  const auto run = thinwire("solve dipole.nec --device cuda");
  EXPECT_EQ(run.code, 4);
  EXPECT_EQ(line_count(run.err), 1u) << run.err;
  EXPECT_FALSE(thinwire.has("dipole.h5"));
}

TEST(Solve, InterruptLeavesNothing) {
  const Program thinwire;
  std::string deck = test::dipole_deck;
  deck.replace(deck.find("FR 0 2 0 0 290 10"), 17, "FR 0 200000 0 0 290 .0001");
  deck.replace(deck.find("RP 0 7 5 1001 0 0 30 90"), 23, "XQ");
  thinwire.write("long.nec", deck);
  // The program itself is the background job, so that $! is its process.
  const auto run = thinwire.shell("'" THINWIRE_PROGRAM
                                  "' solve long.nec --threads 1 & job=$!\n"
                                  "sleep 0.5; kill -TERM $job; wait $job");
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_TRUE(contains(run.err, "interrupted"));
  EXPECT_EQ(run.out, "");
  EXPECT_FALSE(thinwire.has("long.h5"));
  EXPECT_FALSE(thinwire.has("long.h5.part"));
}

TEST(Solve, AnInterruptIsHeardWhereNobodyReads) {
  const Program thinwire;
  const auto run = thinwire.shell("mkfifo pipe; timeout 20 '" THINWIRE_PROGRAM
                                  "' solve dipole.nec --csv pipe -o r.h5 & job=$!\n"
                                  "sleep 0.5; kill -TERM $job; wait $job");
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_EQ(run.err, "thinwire: interrupted.\n");
  EXPECT_FALSE(thinwire.has("r.h5"));
}

TEST(Solve, AHangUpThatIsIgnoredIsNoInterrupt) {
  // As under nohup, which ignores the hang-up.
  const Program thinwire;
  const auto run =
      thinwire.shell("mkfifo pipe; (trap '' HUP; exec '" THINWIRE_PROGRAM
                     "' solve dipole.nec --csv pipe -o none) & job=$!\n"
                     "sleep 0.5; kill -HUP $job; sleep 0.1; cat pipe >got; wait $job");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(contains(test::read_file(thinwire / "got"), "\n290,"));
}

TEST(Solve, OtherNamesOfStandardOutputAreStandardOutput) {
  const Program thinwire;
  for (const char* name : {"/dev/fd/1", "/proc/self/fd/1"}) {
    const auto run = thinwire.shell(
        std::string("'" THINWIRE_PROGRAM "' solve dipole.nec -o ") + name + " >r.h5");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(thinwire("info r.h5").code, 0) << name;
  }
}

TEST(Solve, AStandardInputThatCannotBeReadIsSaidToBe) {
  const Program thinwire;
  for (const char* input : {"<&-", "<."}) {
    const auto run = thinwire(std::string("solve - ") + input);
    EXPECT_EQ(run.code, 5) << input;
    EXPECT_EQ(run.err.find("thinwire: stdin: cannot be read ("), 0u) << run.err;
    EXPECT_EQ(line_count(run.err), 1u) << run.err;
  }
}

class Usage : public ::testing::TestWithParam<const char*> {};

TEST_P(Usage, IsOneLineAndExitTwo) {
  const Program thinwire;
  const auto run = thinwire(GetParam());
  EXPECT_EQ(run.code, 2) << run.err;
  EXPECT_EQ(line_count(run.err), 1u) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_FALSE(thinwire.has("dipole.h5"));
}

INSTANTIATE_TEST_SUITE_P(
    All, Usage,
    testing::Values(
        "unknown", "solve", "solve dipole.nec more.nec", "solve dipole.nec --nonsense",
        "solve dipole.nec --tol 1e-3", "solve dipole.nec --json --json",
        "solve dipole.nec --solver lu", "solve dipole.nec --precond ilu",
        "solve dipole.nec --mesh fine", "solve dipole.nec --kernel thin",
        "solve dipole.nec --device tpu", "solve dipole.nec --device cuda:x",
        "solve dipole.nec --precision half", "solve dipole.nec --placement cloud",
        "solve dipole.nec --progress loud", "solve dipole.nec --tolerance 0",
        "solve dipole.nec --tolerance abc", "solve dipole.nec --tolerance nan",
        "solve dipole.nec --max-iterations 1.5", "solve dipole.nec --threads=-1",
        "solve dipole.nec --threads", "solve dipole.nec --dry-run -o x.h5",
        "solve dipole.nec --z0 0", "solve dipole.nec --z0 -75",
        "solve dipole.nec --z0 nan", "solve dipole.nec --quiet --progress json",
        "solve dipole.nec --solver direct --precond block",
        "solve dipole.nec --solver direct --max-iterations 3",
        "solve dipole.nec --device cpu --placement graph",
        "solve dipole.nec -o a.h5 --csv ./a.h5", "solve dipole.nec -o ''",
        "solve dipole.nec --csv ''", "solve dipole.nec --touchstone=''",
        "solve dipole.nec --listing ''", "solve dipole.nec --save-matrix -o none",
        "solve dipole.nec --csv - --json", "solve dipole.nec -o - --listing /dev/stdout",
        "info", "check", "devices more", "version more", "help nothing", "nec2c",
        "nec2c -x", "tune x", "bench x"));

}  // namespace
}  // namespace thinwire
