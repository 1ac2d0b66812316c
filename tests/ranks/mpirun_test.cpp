// The program under mpirun, against itself alone.
#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "io/result/hdf5_file.h"
#include "tests/cli/program.h"

namespace thinwire {
namespace {

using test::line_count;
using test::Program;
using test::read_file;

/// Runs `thinwire ARGUMENTS` as several processes.
Program::Result together(const Program& thinwire, int ranks,
                         const std::string& arguments) {
  return thinwire.shell(THINWIRE_MPIRUN " -n " + std::to_string(ranks) +
                        " '" THINWIRE_PROGRAM "' " + arguments);
}

/// Lines that the program itself prints of an error; mpirun adds its own.
std::size_t error_lines(const std::string& err) {
  std::size_t lines = 0;
  for (std::size_t at = err.find("thinwire: "); at != std::string::npos;
       at = err.find("thinwire: ", at + 1))
    ++lines;
  return lines;
}

constexpr const char* many =
    "CE dipole, two runs\n"
    "GW 1 21 0 0 -0.25 0 0 0.25 0.001\n"
    "GE 0\n"
    "EX 0 1 11 0 1 0\n"
    "FR 0 17 0 0 280 2\n"
    "RP 0 7 5 1001 0 0 30 90\n"
    "LD 4 1 3 3 50 0\n"
    "FR 0 4 0 0 300 1\n"
    "XQ\n"
    "EN\n";

/// Returns the output of a solve without its times.
nlohmann::json document(const Program::Result& run) {
  EXPECT_EQ(run.code, 0) << run.err;
  nlohmann::json json = nlohmann::json::parse(run.out, nullptr, false);
  EXPECT_TRUE(json.is_object()) << run.out;
  json.erase("timings_s");
  return json;
}

TEST(Mpirun, SolvesAsOneProcess) {
  const Program thinwire;
  thinwire.write("many.nec", many);
  const std::string solve = "solve many.nec --json -o ";
  const nlohmann::json alone = document(thinwire(solve + "1.h5"));
  ASSERT_EQ(alone["frequencies"].size(), 21U);
  for (const int ranks : {2, 3, 7}) {
    SCOPED_TRACE(ranks);
    const auto run = together(thinwire, ranks, solve + "r.h5 --force");
    EXPECT_EQ(document(run), alone);
    EXPECT_TRUE(thinwire.has("r.h5"));
    EXPECT_FALSE(thinwire.has("r.h5.journal"));
    // Only one of the processes prints.
    EXPECT_EQ(run.err.find("wrote"), run.err.rfind("wrote"));
  }
  for (const char* split : {"none", "frequency"})
    EXPECT_EQ(document(together(thinwire, 3,
                                solve + "r.h5 --force --split " + std::string(split))),
              alone)
        << split;
}

/// Minutes of work.
constexpr const char* slow =
    "CE many frequencies\n"
    "SY h=12\n"
    "GW 1 401 0 0 -h 0 0 h 0.001\n"
    "GE 0\n"
    "EX 0 1 201 0 1 0\n"
    "FR 0 2000 0 0 100 .1\n"
    "XQ\n"
    "EN\n";

TEST(Mpirun, TakesAsManyThreadsAsTheUserSays) {
  const Program thinwire;
  // Enough work for several.
  std::string deck = slow;
  thinwire.write("some.nec", deck.replace(deck.find("2000"), 4, "100"));
  const auto threads = [&](const std::string& omp, const std::string& options) {
    const auto run = thinwire.shell("OMP_NUM_THREADS=" + omp +
                                    " " THINWIRE_MPIRUN " -n 2 '" THINWIRE_PROGRAM
                                    "' solve some.nec -o r.h5 --force " +
                                    options);
    EXPECT_EQ(run.code, 0) << run.err;
    const std::string file = read_file(thinwire / "r.h5"), key = "\"threads\":";
    const std::size_t at = file.find(key);
    return at == std::string::npos ? "none" : file.substr(at + key.size(), 2);
  };
  EXPECT_EQ(threads("2", ""), "2,");
  EXPECT_EQ(threads("2", "--threads 1"), "1,");
}

/// 60 dipoles, 1,200 unknowns: enough to be shared.
std::string row_of_dipoles() {
  std::string deck = "CE\n";
  for (int i = 1; i <= 60; ++i)
    deck += "GW " + std::to_string(i) + " 21 " + std::to_string(.5 * i) + " 0 -.24 " +
            std::to_string(.5 * i) + " 0 .24 .001\n";
  return deck + "GE 0\nEX 0 1 11 0 1 0\nFR 0 2 0 0 299 1\nXQ\nEN\n";
}

TEST(Mpirun, SavesTheMatrixIntoAPipeThatOnlyTheFirstSees) {
  const Program thinwire;
  thinwire.write("row.nec", row_of_dipoles());
  const std::string in_folder =
      "&& exec \"" THINWIRE_PROGRAM
      "\" solve ../row.nec --mesh as-given --device cpu --split none --save-matrix "
      "-o p.h5' ";
  const auto run = thinwire.shell(
      "mkdir a b; mkfifo a/p.h5; cat a/p.h5 > whole.h5 & timeout 60 " THINWIRE_MPIRUN
      " -n 1 sh -c 'cd a " +
      in_folder + ": -n 1 sh -c 'cd b " + in_folder + "; code=$?; wait; exit $code");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(Hdf5Reader(thinwire / "whole.h5").complexes("/matrix/impedance_ohm").size(),
            1200U * 1200U);
}

/// A run whose ranks had no room for NAME ended with one line, and left nothing of it.
void expect_no_room(const Program& thinwire, const Program::Result& run,
                    const std::string& name) {
  EXPECT_EQ(run.code, 5);
  EXPECT_EQ(error_lines(run.err), 1U) << run.err;
  EXPECT_NE(run.err.find(name + ".part: cannot be written ("), std::string::npos)
      << run.err;
  EXPECT_FALSE(thinwire.has(name));
  EXPECT_FALSE(thinwire.has(name + ".part"));
}

/// Processes other than the first have no memory for it: they write their rows
/// themselves.
void expect_each_writes(const Program& thinwire, const std::string& solve) {
  const auto second = thinwire.shell(
      "timeout 60 " THINWIRE_MPIRUN " -n 1 '" THINWIRE_PROGRAM "' " + solve +
      "second.h5 : -n 2 sh -c 'ulimit -f 1000; exec \"" THINWIRE_PROGRAM "\" " + solve +
      "second.h5'");
  expect_no_room(thinwire, second, "second.h5");
}

TEST(Mpirun, SavesTheMatrixThatOneProcessSaves) {
  const Program thinwire;
  thinwire.write("row.nec", row_of_dipoles());
  const std::string solve =
      "solve row.nec --mesh as-given --device cpu --save-matrix -o ";
  const auto matrix = [&](const char* name) {
    return Hdf5Reader(thinwire / name).complexes("/matrix/impedance_ohm");
  };
  ASSERT_EQ(thinwire(solve + "1.h5").code, 0);
  const std::vector<Complex> alone = matrix("1.h5");
  ASSERT_EQ(alone.size(), 1200U * 1200U);
  for (const int ranks : {2, 3}) {
    const auto run = together(thinwire, ranks, solve + "r.h5 --force");
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_TRUE(matrix("r.h5") == alone) << ranks;
    EXPECT_EQ(thinwire("info r.h5").code, 0);
    EXPECT_FALSE(thinwire.has("r.h5.part"));
  }
  // A process without disk space ends all.
  const auto full = thinwire.shell("ulimit -f 20000; timeout 60 " THINWIRE_MPIRUN
                                   " -n 3 '" THINWIRE_PROGRAM "' " +
                                   solve + "full.h5");
  expect_no_room(thinwire, full, "full.h5");
  expect_each_writes(thinwire, solve);
}

TEST(Mpirun, ReadsTheDeckOnce) {
  const Program thinwire;
  const auto alone = document(thinwire("solve dipole.nec --json -o none"));
  const auto run = thinwire.shell("cat dipole.nec | " THINWIRE_MPIRUN
                                  " -n 3 '" THINWIRE_PROGRAM "' solve - --json -o none");
  EXPECT_EQ(document(run)["frequencies"], alone["frequencies"]);
}

TEST(Mpirun, SweepsAsOneProcess) {
  const Program thinwire;
  thinwire.write("s.nec",
                 "CE\nSY h=0.25\nGW 1 11 0 0 -h 0 0 h .001\nGE 0\nEX 0 1 6 0 1 0\n"
                 "FR 0 2 0 0 290 10\nXQ\nEN\n");
  const std::string sweep = "sweep s.nec --vary h=0.2:0.3:30 -o none --csv ";
  ASSERT_EQ(thinwire(sweep + "1.csv").code, 0);
  for (const int ranks : {2, 5}) {
    const auto run = together(thinwire, ranks, sweep + "r.csv --force");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(read_file(thinwire / "r.csv"), read_file(thinwire / "1.csv"));
  }
}

TEST(Mpirun, OneLineTellsOfAnError) {
  const Program thinwire;
  thinwire.write("bad.nec", "CE\nGW 1 11 0 0 -.25 0 0 .25 -1\nGE 0\nEN\n");
  const auto says = [&](const std::string& arguments, int code, const std::string& text) {
    const auto run = together(thinwire, 3, arguments);
    EXPECT_EQ(run.code, code) << arguments << run.err;
    EXPECT_NE(run.err.find(text), std::string::npos) << run.err;
    EXPECT_EQ(error_lines(run.err), 1U) << run.err;
    EXPECT_EQ(run.out, "") << arguments;
  };
  says("solve missing.nec", 5, "missing.nec");
  says("solve bad.nec", 3, "radius must be positive");
  says("solve dipole.nec --solver fast", 2, "--solver");
  says("solve dipole.nec --split variant", 2, "--split must be");
  says("solve dipole.nec --split frequency --save-matrix", 2, "--save-matrix");
  says("solve dipole.nec --sweep fast --split frequency", 2, "--sweep fast");
  says("solve dipole.nec -o /nowhere/r.h5", 5, "/nowhere");
  says("check dipole.nec", 2, "runs as one process");
  const auto version = together(thinwire, 3, "version");
  EXPECT_EQ(version.code, 0) << version.err;
  EXPECT_EQ(line_count(version.out), 1U) << version.out;
  says("solve dipole.nec -o -", 2, "--output - is for one process");
}

TEST(Mpirun, HelpIsPrintedOnce) {
  const Program thinwire;
  for (const char* page : {"", "solve --help", "sweep --help"}) {
    SCOPED_TRACE(page);
    const auto run = together(thinwire, 3, page);
    EXPECT_EQ(line_count(run.out), line_count(thinwire(page).out)) << run.out;
  }
}

TEST(Mpirun, MoreThreadsThanCanBeAreRefused) {
  const Program thinwire;
  const std::string omp = "OMP_NUM_THREADS=99999 ";
  const std::string alone = "'" THINWIRE_PROGRAM "' solve dipole.nec -o none";
  for (const std::string& mpirun :
       {std::string(), std::string(THINWIRE_MPIRUN " -n 3 ")}) {
    const auto run = thinwire.shell(omp + mpirun + alone);
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_EQ(error_lines(run.err), 1U) << run.err;
    EXPECT_NE(run.err.find("OMP_NUM_THREADS must be"), std::string::npos) << run.err;
  }
}

/// 10 x 12 dipoles, 1,080 unknowns.
constexpr const char* array =
    "CE\nGW 1 10 0 0 -.23 0 0 .23 .001\nGM 0 9 0 0 0 .5 0 0\nGM 0 11 0 0 0 0 .6 0\nGE 0\n"
    "EX 0 1 5 0 1 0\nFR 0 1 0 0 300 0\nRP 0 19 37 1000 0 0 10 10\nEN\n";

TEST(Mpirun, SharesAMatrixOnGpus) {
  const Program thinwire;
  thinwire.write("array.nec", array);
  const std::string solve =
      "solve array.nec --mesh as-given --operator dense --device cuda --tolerance 1e-10 "
      "--json -o none ";
  if (const auto probe = thinwire(solve); probe.code == 4) GTEST_SKIP() << probe.err;
  for (const char* how : {"--solver direct", "--solver cocg --precision mixed"})
    for (const int ranks : {2, 3}) {
      SCOPED_TRACE(std::string(how) + ", ranks " + std::to_string(ranks));
      const nlohmann::json alone = document(thinwire(solve + how)),
                           shared = document(
                               together(thinwire, ranks, solve + "--split none " + how));
      const auto impedance = [](const nlohmann::json& json) {
        const auto& z = json["frequencies"][0]["ports"][0]["impedance_ohm"];
        return std::complex<double>(z[0], z[1]);
      };
      EXPECT_LE(std::abs(impedance(shared) - impedance(alone)),
                1e-8 * std::abs(impedance(alone)));
      EXPECT_NE(shared["device"].get<std::string>().find("cuda:0"), std::string::npos);
    }
}

TEST(Mpirun, SavesTheMatrixThatGpusShare) {
  const Program thinwire;
  thinwire.write("array.nec", array);
  const std::string solve =
      "solve array.nec --mesh as-given --operator dense --device cuda --solver cocg "
      "--save-matrix -o ";
  if (const auto probe = thinwire(solve + "1.h5"); probe.code == 4)
    GTEST_SKIP() << probe.err;
  const auto run = together(thinwire, 2, solve + "2.h5");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto matrix = [&](const char* name) {
    return Hdf5Reader(thinwire / name).complexes("/matrix/impedance_ohm");
  };
  const std::vector<Complex> alone = matrix("1.h5"), shared = matrix("2.h5");
  ASSERT_EQ(shared.size(), alone.size());
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    largest = std::max(largest, std::abs(alone[i]));
    difference = std::max(difference, std::abs(shared[i] - alone[i]));
  }
  EXPECT_LE(difference, 1e-14 * largest);
  expect_each_writes(thinwire, solve);
}

int emulated_gpus() {
  const char* const gpus = std::getenv("THINWIRE_EMULATED_GPUS");
  return gpus == nullptr ? 0 : std::stoi(gpus);
}

/// Emulated GPUs can be each one's alone, as those of a host where administrators say so.
TEST(Mpirun, OpensNoGpuButItsOwn) {
  if (emulated_gpus() < 2) GTEST_SKIP() << "wants two emulated GPUs";
  const Program thinwire;
  thinwire.write("array.nec", array);
  thinwire.write("own",
                 "export THINWIRE_EMULATED_ONLY=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-1}}\n"
                 "exec '" THINWIRE_PROGRAM "' \"$@\"\n");
  // Settings tuned for a GPU are found by its name.
  ASSERT_EQ(
      thinwire.shell("mkdir -p cache/thinwire && touch cache/thinwire/tuning-a").code, 0);
  const std::string solve =
      "sh ./own solve array.nec --mesh as-given --operator dense --solver cocg --json "
      "-o none ";
  const std::string sweep = "sh ./own sweep dipole.nec --vary f=290:300:40 -o none ";
  for (const std::string device : {"--device cuda", "--device auto --precision mixed"})
    for (const std::string& command : {solve + "--split none ", sweep}) {
      const auto run = thinwire.shell(THINWIRE_MPIRUN " -n 2 " + command + device);
      EXPECT_EQ(run.code, 0) << command << device << ": " << run.err;
    }
  for (const std::string& command : {solve, sweep}) {
    const auto run = thinwire.shell(command + "--device cuda:1");
    EXPECT_EQ(run.code, 0) << command << ": " << run.err;
  }
  const auto other = thinwire.shell(solve + "--device cuda:0");
  EXPECT_EQ(other.code, 4);
  EXPECT_EQ(error_lines(other.err), 1U) << other.err;
}

TEST(OneProcess, LeavesGpusAloneThatItCannotOpen) {
  if (emulated_gpus() < 2) GTEST_SKIP() << "wants two emulated GPUs";
  const Program thinwire;
  thinwire.write("array.nec", array);
  const auto with_only = [&](int gpu, const std::string& arguments) {
    return thinwire.shell("THINWIRE_EMULATED_ONLY=" + std::to_string(gpu) +
                          " '" THINWIRE_PROGRAM "' " + arguments);
  };
  const auto says = [](const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
  };
  const std::string solve = "solve array.nec --operator dense --dry-run --json ",
                    mixed = solve + "--precision mixed ";
  // For mixed precision `auto` always looks at GPUs.
  const auto other = with_only(1, mixed);
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_TRUE(says(other.out, "\"device\": \"cuda:1 ")) << other.out;
  const auto all = with_only(1, solve + "--device cuda:all");
  EXPECT_TRUE(says(all.out, "\"device\": \"cuda:1 ")) << all.out;
  EXPECT_TRUE(says(all.out, "\"why\": \"cuda:0: cannot be opened")) << all.out;
  constexpr int none = 9;
  const auto devices = with_only(none, "devices");
  EXPECT_EQ(devices.code, 0) << devices.err;
  EXPECT_TRUE(says(devices.out, "cannot be opened")) << devices.out;
  const auto no_way = with_only(none, mixed);
  EXPECT_EQ(no_way.code, 4);
  EXPECT_TRUE(says(no_way.err, "cannot be opened")) << no_way.err;
  EXPECT_EQ(error_lines(no_way.err), 1U) << no_way.err;
  thinwire.write("long.nec", slow);
  const auto cpu = with_only(none, "solve long.nec --operator dense --dry-run --json");
  EXPECT_EQ(cpu.code, 0) << cpu.err;
  EXPECT_TRUE(says(cpu.out, "\"why\": \"cuda:0: cannot be opened")) << cpu.out;
}

TEST(Mpirun, OneLineTellsOfAModuleThatIsMissing) {
  const Program thinwire;
  const auto run = thinwire.shell("cp '" THINWIRE_PROGRAM "' alone && " THINWIRE_MPIRUN
                                  " -n 3 ./alone solve dipole.nec");
  EXPECT_EQ(run.code, 4);
  EXPECT_EQ(error_lines(run.err), 1U) << run.err;
  EXPECT_NE(run.err.find("libthinwire_mpi.so) is not installed"), std::string::npos)
      << run.err;
}

TEST(Mpirun, OneLineTellsOfAnInterrupt) {
  const Program thinwire;
  thinwire.write("slow.nec", slow);
  const auto run = thinwire.shell(
      THINWIRE_MPIRUN
      " -n 3 '" THINWIRE_PROGRAM
      "' solve slow.nec --threads 1 -o r.h5 & all=$!\n"
      "while [ $(cat r.h5.journal 2>/dev/null | wc -l) -lt 2 ]; do sleep .1; done\n"
      "kill -TERM $all; wait $all");
  EXPECT_NE(run.code, 0);
  EXPECT_EQ(error_lines(run.err), 1U) << run.err;
  EXPECT_NE(run.err.find("r.h5.journal: continue with --resume."), std::string::npos)
      << run.err;
}

TEST(Mpirun, OneThatIsShortOfMemoryEndsAll) {
  const Program thinwire;
  // 1.2 GB of matrix, of which none can be held where a rank may have 0.5 GB of all.
  thinwire.write("large.nec",
                 "CE\nGW 1 12000 0 0 0 0 0 600 .001\nGE 0\nEX 0 1 6000 0 1 0\n"
                 "FR 0 2 0 0 300 1\nXQ\nEN\n");
  thinwire.write("short",
                 "[ \"$OMPI_COMM_WORLD_RANK$PMI_RANK\" = 2 ] && ulimit -v 500000\n"
                 "exec '" THINWIRE_PROGRAM "' \"$@\"\n");
  for (const char* split : {"auto", "none"}) {
    SCOPED_TRACE(split);
    const auto run = thinwire.shell(
        "timeout 60 " THINWIRE_MPIRUN
        " -n 3 sh ./short solve large.nec --mesh as-given --operator dense "
        "--device cpu -o none --split " +
        std::string(split));
    EXPECT_EQ(run.code, 4);
    EXPECT_EQ(error_lines(run.err), 1U) << run.err;
    EXPECT_NE(run.err.find("B free (N = 11999)"), std::string::npos) << run.err;
  }
}

TEST(Mpirun, AnInterruptEndsASweepInOrder) {
  const Program thinwire;
  std::string variant = slow;
  variant.replace(variant.find("2000"), 4, "200");
  thinwire.write("slow.nec", variant);
  const auto run = thinwire.shell(
      THINWIRE_MPIRUN
      " -n 2 '" THINWIRE_PROGRAM
      "' sweep slow.nec --threads 1 --vary h=11:13:50 -o r.h5 & all=$!\n"
      "while [ $(cat r.h5.journal 2>/dev/null | wc -l) -lt 2 ]; do sleep .1; done\n"
      "kill -TERM $all; wait $all");
  EXPECT_EQ(error_lines(run.err), 1U) << run.err;
  EXPECT_NE(run.err.find("variants are kept in r.h5.journal"), std::string::npos)
      << run.err;
  EXPECT_EQ(run.err.find("Signal"), std::string::npos) << run.err;
}

TEST(Mpirun, ResumesTheStructureThatWasStopped) {
  const Program thinwire;
  std::string second = slow;
  second.replace(second.find("2000"), 4, "400");
  thinwire.write("two.nec", std::string(many).substr(0, std::string(many).find("EN\n")) +
                                "NX\n" + second);
  const std::string solve = "solve two.nec --threads 1 --quiet -o r.h5";
  const auto stopped = thinwire.shell(
      THINWIRE_MPIRUN " -n 3 '" THINWIRE_PROGRAM "' " + solve +
      " & all=$!\n"
      "while [ $(cat r-2.h5.journal 2>/dev/null | wc -l) -lt 2 ]; do sleep .1; done\n"
      "kill -TERM $all; wait $all");
  ASSERT_TRUE(thinwire.has("r-2.h5.journal")) << stopped.err;
  const auto resumed = together(thinwire, 2, solve + " --resume");
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(thinwire.has("r-2.h5"));
  EXPECT_FALSE(thinwire.has("r-2.h5.journal"));
  const auto again = together(thinwire, 2, solve + " --resume");
  EXPECT_EQ(again.code, 5);
  EXPECT_NE(again.err.find("r.h5.journal: is not there"), std::string::npos) << again.err;
}

TEST(Mpirun, AnInterruptThatComesTwiceTellsWhatIsKept) {
  const Program thinwire;
  thinwire.write("slow.nec", slow);
  // As Slurm does it: all ranks get the same signal twice within moments.
  const auto run = thinwire.shell(
      THINWIRE_MPIRUN
      " -n 2 '" THINWIRE_PROGRAM
      "' solve slow.nec --threads 1 -o r.h5 & all=$!\n"
      "while [ $(cat r.h5.journal 2>/dev/null | wc -l) -lt 2 ]; do sleep .1; done\n"
      "ranks=$(cat /proc/$all/task/*/children)\n"
      "kill -TERM $ranks; kill -TERM $ranks; wait $all");
  EXPECT_EQ(run.code, 130);
  EXPECT_EQ(error_lines(run.err), 1U) << run.err;
  EXPECT_NE(run.err.find("r.h5.journal: continue with --resume."), std::string::npos)
      << run.err;
}

TEST(Mpirun, SplitWantsSeveralProcesses) {
  const Program thinwire;
  const auto run = thinwire("solve dipole.nec --split frequency");
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.err.find("the only process"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace thinwire
