#include <gtest/gtest.h>

#include "mom/gpu/gpu.h"
#include "tests/cli/program.h"

namespace thinwire {
namespace {

using namespace test;

TEST(Tune, WithoutAGpuIsOneClearError) {
  if (gpu_report().problem.empty()) GTEST_SKIP() << "there is a GPU";
  const Program thinwire;
  const auto run = thinwire("tune -o tune.h5 --csv tune.csv --plot tune.html");
  EXPECT_EQ(run.code, 4);
  EXPECT_EQ(line_count(run.err), 1u) << run.err;
  EXPECT_TRUE(contains(run.err, "tune"));
  for (const char* name : {"tune.h5", "tune.csv", "tune.html"})
    EXPECT_FALSE(thinwire.has(name)) << name;
}

TEST(Tune, RefusesWrongOptions) {
  const Program thinwire;
  for (const char* arguments :
       {"tune --n 0", "tune --n 1073741824", "tune --repeats 0", "tune --device gpu",
        "tune --device cuda:x", "tune --plot a.html --csv a.html", "tune --threads 3",
        "tune extra"}) {
    const auto run = thinwire(arguments);
    EXPECT_EQ(run.code, 2) << arguments;
    EXPECT_EQ(line_count(run.err), 1u) << run.err;
  }
  EXPECT_EQ(thinwire("tune --plot missing/a.html").code, 5);
  const auto picture = thinwire("tune --plot times.svg");
  EXPECT_EQ(picture.code, 2);
  EXPECT_TRUE(contains(picture.err, "Name it times.html"));
}

TEST(Tune, SweepsAndKeepsTheChoice) {
  const std::string problem = gpu_report().problem;
  if (!problem.empty()) GTEST_SKIP() << problem;
  const Program thinwire;
  const auto run = thinwire.shell(
      std::string("XDG_CACHE_HOME=$PWD/cache '") + THINWIRE_PROGRAM +
      "' tune --n 500 --repeats 2 -o tune.h5 --csv tune.csv --plot tune.html --apply && "
      "ls cache/thinwire/tuning-*.json");
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char* text : {"One thread a row, N = 500, padded to 504", "cuBLAS zsymv",
                           "symmetric, single", "row_threads: ", "tuning-"})
    EXPECT_TRUE(contains(run.out, text));
  for (const char* name : {"tune.h5", "tune.csv", "tune.html"})
    EXPECT_TRUE(thinwire.has(name)) << name;
  // A damaged choice costs a warning, no more.
  const auto solved =
      thinwire.shell(std::string("for f in cache/thinwire/*; do echo '{' >$f; done; "
                                 "XDG_CACHE_HOME=$PWD/cache '") +
                     THINWIRE_PROGRAM + "' solve dipole.nec --device cuda");
  EXPECT_EQ(solved.code, 0) << solved.err;
  EXPECT_TRUE(contains(solved.err, "ignored (damaged)"));
}

}  // namespace
}  // namespace thinwire
