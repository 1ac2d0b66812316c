#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "io/result/checked_json.h"
#include "tests/cli/program.h"

namespace thinwire::test {
namespace {

/// A wire of 6,000 segments, 1.3 s of filling on a thread at the default rates.
constexpr const char* long_deck =
    "CE\nGW 1 6000 0 0 0 300 0 0 0.001\nGE 0\nEX 0 1 3000 0 1 0\nFR 0 1 0 0 290 0\n"
    "XQ\nEN\n";
constexpr const char* dry_run = " --dry-run --device cpu --threads 1 --mesh as-given ";

double predicted_seconds(const Program::Result& run) {
  const std::regex row("\"predicted_seconds\": *([-+.0-9e]+)");
  std::smatch found;
  EXPECT_TRUE(std::regex_search(run.out, found, row)) << run.out << run.err;
  return found.empty() ? 0 : std::stod(found[1]);
}

TEST(CpuRates, AreMeasuredOnceWhereASolveIsLong) {
  const Program thinwire;
  thinwire.write("long.nec", long_deck);
  const std::string solve = std::string("solve long.nec --json") + dry_run;
  EXPECT_EQ(thinwire(std::string("solve dipole.nec") + dry_run).code, 0);
  EXPECT_FALSE(thinwire.has("cache")) << "for a short solve";
  const double measured = predicted_seconds(thinwire(solve));
  const auto files = thinwire.shell("cat cache/thinwire/cpu-*-1-threads-*.json");
  ASSERT_EQ(files.code, 0) << files.err;
  EXPECT_DOUBLE_EQ(predicted_seconds(thinwire(solve)), measured) << "as stored";
  // As if measured on a CPU that computes 1,000 times as slowly as the default: 6000^2 /
  // 2 entries at 1.4e4 a second.
  auto rates = parse_checked_json(files.out);
  rates["fill_entries_per_s"] = 1.5e4;
  thinwire.write("slow", checked_json(rates));
  ASSERT_EQ(thinwire.shell("cp slow cache/thinwire/cpu-*").code, 0);
  EXPECT_GT(predicted_seconds(thinwire(solve)), 5999.0 * 5999 / 2 / 1.5e4);
  // Damaged, they are measured again, and a warning says so.
  ASSERT_EQ(thinwire
                .shell("sed -i s/1.5e4/1.4e4/ slow; sed -i s/15000/14000/ slow; cp "
                       "slow cache/thinwire/cpu-*")
                .code,
            0);
  const auto again = thinwire(solve);
  EXPECT_LT(predicted_seconds(again), 500);
  EXPECT_TRUE(contains(again.err, "ignored (damaged)"));
  EXPECT_EQ(line_count(again.err), 1U) << again.err;
  EXPECT_EQ(thinwire.shell("grep -q reading_threads cache/thinwire/cpu-*").code, 0);
  // A pipe in their place is not waited for.
  const auto piped = thinwire.shell(
      "for f in cache/thinwire/cpu-*; do rm \"$f\" && mkfifo \"$f\"; done; timeout 20 '" +
      std::string(THINWIRE_PROGRAM) + "' " + solve);
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_TRUE(contains(piped.err, "not a regular file"));
  EXPECT_EQ(thinwire.shell("rm cache/thinwire/cpu-*").code, 0);
  EXPECT_EQ(thinwire(solve).code, 0);
  EXPECT_TRUE(contains(
      thinwire.shell(std::string("OMP_NUM_THREADS=1 '") + THINWIRE_PROGRAM + "' devices")
          .out,
      "\nrates "));
  // A short solve, which measures nothing, warns of them once.
  thinwire.write("brief.nec",
                 "CE\nGW 1 1001 0 0 0 50 0 0 0.001\nGE 0\nEX 0 1 501 0 1 0\n"
                 "FR 0 1 0 0 290 0\nXQ\nEN\n");
  const std::string brief = std::string("solve brief.nec") + dry_run;
  ASSERT_EQ(thinwire.shell("cp slow cache/thinwire/cpu-*").code, 0);
  EXPECT_EQ(line_count(thinwire(brief).err), 1U);
  EXPECT_EQ(thinwire(brief).err, "");
}

TEST(CpuRates, NeedNoCacheFolder) {
  const Program thinwire;
  thinwire.write("long.nec", long_deck);
  const std::string solve = std::string("' solve long.nec --json") + dry_run;
  for (const char* environment :
       {"XDG_CACHE_HOME=/dev/null/none '", "XDG_CACHE_HOME= HOME= '"}) {
    const auto run = thinwire.shell(environment + std::string(THINWIRE_PROGRAM) + solve);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.err, "") << environment;
    EXPECT_GT(predicted_seconds(run), 0);
  }
}

}  // namespace
}  // namespace thinwire::test
