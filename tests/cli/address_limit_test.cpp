#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <utility>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

using namespace test;

/// Runs `thinwire ARGUMENTS` with so many KiB of addresses, for 20 seconds at most.
Program::Result limited(const Program& thinwire, int kib, const std::string& arguments) {
  return thinwire.shell(fmt::format("ulimit -v {}; timeout -k 1 20 '{}' {}", kib,
                                    THINWIRE_PROGRAM, arguments));
}

/// The lowest limit, in steps of 10,000 KiB, at which the dynamic loader has room for all
/// libraries.
int min_limit_kib(const Program& thinwire) {
  int kib = 20000;
  while (kib < 4'000'000 && limited(thinwire, kib, "version").code == 127) kib += 10000;
  return kib;
}

TEST(AddressLimit, EveryCommandEndsWithOneLine) {
  const Program thinwire;
  thinwire.write("long.nec",
                 "GW 1 1500 0 0 -0.5 0 0 0.5 0.0001\nGE 0\nEX 0 1 750 0 1 0\n"
                 "FR 0 1 0 0 145\nEN\n");
  thinwire.write("v.nec",
                 "CE\nSY h=.25\nGW 1 11 0 0 -h 0 0 h .001\nGE 0\nEX 0 1 6 0 1\n"
                 "FR 0 1 0 0 300\nXQ\nEN\n");
  const int min_kib = min_limit_kib(thinwire);
  for (const int more : {0, 10000, 20000, 50000, 90000, 130000, 250000})
    for (const char* arguments :
         {"version", "help", "check dipole.nec", "solve dipole.nec -o none",
          "solve long.nec -o none", "sweep dipole.nec -o none", "info dipole.nec",
          "solve v.nec -o none --gradient h",
          "optimize v.nec --vary h=.2:.3 --goal 'r(300)>60' -o none --output-deck none "
          "--threads 1 --quiet",
          "optimize v.nec --vary h=.2:.3 --goal 'r(300)>60' -o none --output-deck none "
          "--quiet"}) {
      const auto run = limited(thinwire, min_kib + more, arguments);
      const std::string what =
          fmt::format("{} KiB, {}: {} {}", min_kib + more, arguments, run.code, run.err);
      EXPECT_LT(run.code, 6) << what;  // ended by itself, with a status of its own
      EXPECT_NE(run.code, 1) << what;  // memory's is 4
      EXPECT_LE(line_count(run.err), 1u) << what;
      EXPECT_EQ(run.code != 0, run.err.find("thinwire: ") == 0) << what;
    }
  EXPECT_EQ(limited(thinwire, min_kib + 10000, "version").code, 0);
}

// Heaps of threads must not take the addresses that something else needs.
TEST(AddressLimit, MoreAddressesNeverMakeACommandFail) {
  const Program thinwire;
  const int min_kib = min_limit_kib(thinwire);
  bool succeeded = false;
  for (int more = 0; more <= 300'000; more += 15'000) {
    const auto run =
        limited(thinwire, min_kib + more, "converge dipole.nec --threads 2 --quiet");
    EXPECT_TRUE(run.code == 0 || !succeeded) << min_kib + more << " KiB: " << run.err;
    succeeded |= run.code == 0;
  }
  EXPECT_TRUE(succeeded);
}

// Need, limit and way out, before the work: of the segments themselves, and of what is
// made of them.
TEST(AddressLimit, RefusesMoreSegmentsThanMemoryHolds) {
  const Program thinwire;
  for (const auto& [segments, kib] :
       {std::pair(25'000'000, 1'000'000), std::pair(1'000'000, 400'000)}) {
    thinwire.write("long.nec", fmt::format("CE\nGW 1 {} 0 0 0 0 0 5000 0.0001\nGE 0\n"
                                           "EX 0 1 750 0 1 0\nFR 0 1 0 0 1\nXQ\nEN\n",
                                           segments));
    for (const char* command : {"check", "solve -o none", "solve --dry-run"}) {
      const auto run = limited(thinwire, kib, std::string(command) + " long.nec");
      EXPECT_EQ(run.code, 4) << command << run.err;
      EXPECT_EQ(line_count(run.err), 1u) << run.err;
      for (const char* part :
           {std::to_string(segments).c_str(), " need ", "free. Use fewer segments"})
        EXPECT_TRUE(contains(run.err, part));
    }
  }
}

TEST(Progress, IsShownBeforeTheSolve) {
  const Program thinwire;
  const auto run = thinwire("solve dipole.nec -o none --progress json");
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* step : {"\"read\"", "\"check\"", "\"mesh\"", "\"fill\""})
    EXPECT_TRUE(contains(run.err, step));
}

// Minutes of work, which an interrupt after a second ends: within another on an idle
// machine, within ten on one that has other work.
TEST(Progress, AnInterruptEndsTheWorkBeforeTheSolve) {
  const Program thinwire;
  thinwire.write("large.nec",
                 "CE\nGW 1 2000000 0 0 0 0 0 200000 0.001\nGE 0\nEX 0 1 750 0 1 0\n"
                 "FR 0 1 0 0 1\nXQ\nEN\n");
  for (const char* command : {"check", "solve -o none", "solve --dry-run", "converge"}) {
    const auto run = thinwire.shell(
        fmt::format("timeout --preserve-status -k 10 -s INT 1 '{}' {} large.nec",
                    THINWIRE_PROGRAM, command));
    EXPECT_EQ(run.code, 130) << command << ": " << run.err;
    EXPECT_TRUE(contains(run.err, "thinwire: interrupted.")) << command;
  }
}

}  // namespace
}  // namespace thinwire
