#include <gtest/gtest.h>

#include "io/result/hdf5_file.h"
#include "mom/gpu/gpu.h"
#include "tests/cli/program.h"

namespace thinwire {
namespace {

using namespace test;

TEST(Bench, MeasuresTheCpuAndWritesEverything) {
  const Program thinwire;
  const auto run = thinwire.succeeds(
      "bench --max-n 1000 --repeats 1 --device cpu -o b.h5 --csv b.csv --html b.html");
  for (const char* text : {"CPU, 1 thread", "direct", "cg + block", "LAPACK LU",
                           "No figures of a GPU: left out with --device cpu"})
    EXPECT_TRUE(contains(run.out, text));
  EXPECT_TRUE(contains(run.err, "compiler"));
  const Hdf5Reader in(thinwire / "b.h5");
  EXPECT_EQ(in.attribute_text("/", "content"), "bench");
  for (const double n : in.doubles("/solve/unknowns")) EXPECT_EQ(n, 1000);
  for (const double seconds : in.doubles("/solve/median_s")) EXPECT_GT(seconds, 0);
  // The direct solver and the iteration agree to what the tolerance allows.
  EXPECT_LT(in.doubles("/solve/difference").back(), 1e-4);
  const std::string page = test::read_file(thinwire / "b.html");
  for (const char* text : {"</html>", "compiler", "BLAS", "thinwire bench --max-n 1000",
                           "arrays of half-wave dipoles", "Preparing and solving"})
    EXPECT_TRUE(contains(page, text));
  EXPECT_TRUE(contains(test::read_file(thinwire / "b.csv"), "\ntable,unknowns,method,"));
  if (thinwire.shell("python3 -c 'import pandas'").code == 0) {
    const char* script =
        "import pandas; table = pandas.read_csv('b.csv', comment='#'); "
        "print(*sorted(set(table.table)), table.unknowns.max())";
    EXPECT_EQ(thinwire.shell("python3 -c \"" + std::string(script) + "\"").out,
              "absent product solve 1000.0\n");
  }
  const auto info = thinwire.succeeds("info b.h5");
  EXPECT_TRUE(contains(info.out, "bench"));
}

TEST(Bench, SaysWhatTheTimeLimitLeavesOut) {
  const auto run =
      Program()("bench --max-n 2000 --repeats 1 --device cpu --time-limit 0.001 --quiet");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(contains(run.out, "over the limit of 0.001 s"));
}

TEST(Bench, KeepsWhatItHasWhenInterrupted) {
  const Program thinwire;
  // Sizes up to 128,000 would take hours.
  const auto run = thinwire.shell(
      std::string("'") + THINWIRE_PROGRAM +
      "' bench --max-n 128000 --repeats 1 --device cpu --quiet -o b.h5 --csv b.csv "
      "--html b.html & sleep 2; kill -INT $!; wait $!");
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_EQ(line_count(run.err), 1u) << run.err;
  EXPECT_TRUE(contains(run.err, "made until then were kept"));
  EXPECT_TRUE(contains(run.out, "CPU, symmetric, 1 thread"));
  for (const char* name : {"b.csv", "b.html"})
    EXPECT_TRUE(contains(test::read_file(thinwire / name), "interrupted")) << name;
  const Hdf5Reader in(thinwire / "b.h5");
  EXPECT_TRUE(in.has_attribute("/", "interrupted"));
  EXPECT_FALSE(thinwire.has("b.h5.part"));
}

TEST(Bench, SaysPlainlyWhyAGpuIsMissing) {
  const std::string problem = gpu_report().problem;
  if (problem.empty()) GTEST_SKIP() << "there is a GPU";
  const Program thinwire;
  const auto run = thinwire.succeeds("bench --max-n 1000 --repeats 1");
  EXPECT_TRUE(contains(run.out, "No figures of a GPU: " + problem));
  for (const char* arguments : {"bench --device cuda", "bench --gpu-only"}) {
    const auto refused = thinwire(arguments);
    EXPECT_EQ(refused.code, 4) << arguments;
    EXPECT_EQ(line_count(refused.err), 1u) << refused.err;
  }
}

TEST(Bench, RefusesWrongOptions) {
  const Program thinwire;
  for (const char* arguments :
       {"bench --max-n 999", "bench --repeats 0", "bench --solver direct",
        "bench --precond some", "bench --tolerance 0", "bench --time-limit 0",
        "bench --device gpu", "bench --gpu-only --device cpu", "bench extra"}) {
    const auto run = thinwire(arguments);
    EXPECT_EQ(run.code, 2) << arguments << run.err;
    EXPECT_EQ(line_count(run.err), 1u) << run.err;
  }
}

TEST(Bench, ComparesWithAGpu) {
  const std::string problem = gpu_report().problem;
  if (!problem.empty()) GTEST_SKIP() << problem;
  const Program thinwire;
  const auto run = thinwire.succeeds("bench --max-n 1000 --repeats 1 -o b.h5");
  const Hdf5Reader in(thinwire / "b.h5");
  const auto methods = in.strings("/solve/method");
  const auto difference = in.doubles("/solve/difference");
  std::size_t on_gpu = 0;
  for (std::size_t i = 0; i < methods.size(); ++i)
    if (methods[i].starts_with("GPU")) {
      ++on_gpu;
      EXPECT_LT(difference[i], 1e-4) << methods[i];
    }
  EXPECT_EQ(on_gpu, 4u) << run.out;
}

const std::string paper_script =
    std::string("python3 '") + THINWIRE_SOURCE_DIR + "/examples/paper/reproduce.py' ";

TEST(Bench, TakesCocrInEveryPlacement) {
  const std::string problem = gpu_report().problem;
  if (!problem.empty()) GTEST_SKIP() << problem;
  const Program thinwire;
  const auto run =
      thinwire.succeeds("bench --gpu-only --solver cocr --max-n 1000 --repeats 1");
  for (const char* placement : {"GPU, product", "GPU, resident", "GPU, graph"})
    EXPECT_TRUE(contains(run.out, placement));
}

TEST(PaperExample, StopsWithoutAGpu) {
  if (gpu_report().problem.empty()) GTEST_SKIP() << "there is a GPU";
  const auto run = Program().shell(paper_script + "'" + THINWIRE_PROGRAM + "'");
  EXPECT_EQ(run.code, 4);
  EXPECT_EQ(line_count(run.err), 1u) << run.err;
}

TEST(PaperExample, PrintsFiguresBesideThePaper) {
  // A program that writes the tables of a sweep and a comparison made up by hand.
  const Program folder;
  folder.write("fake", R"(#!/bin/sh
if [ "$1" = tune ]; then cat > figure4.csv <<END
# a title
table,threads_per_block,padded,access,median_s,product
row_kernel,8,yes,normal,0.001,
row_kernel,12,yes,normal,0.004,
row_kernel,64,yes,normal,0.002,
row_kernel,8,no,normal,0.003,
row_kernel,12,no,normal,0.005,
row_kernel,64,yes,transposed,0.009,
product,512,,,0.001,symmetric
END
else cat > figures.csv <<END
table,unknowns,method,factor_s,solve_s,what,median_s
solve,1000,"CPU, 1 thread",0,20,,
solve,1000,"GPU, product",0.05,0.15,,
solve,1000,"GPU, resident",0,0.25,,
product,1000,,,,"GPU, one thread a row",0.001
product,1000,,,,"GPU, one thread a row, transposed access",0.0047
END
fi
)");
  const auto run = folder.shell("chmod +x fake; " + paper_script + "./fake");
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char* text :
       {"padded: 1500 us where N_T is a multiple of 8, 4000 us elsewhere",
        "not padded: 3000 and 5000 us", "N_T = 64 takes 2000 us", "N_T = 8, 1000 us",
        "4.70 at N = 1000", "0.2 and 0.25 s at N = 1000", "thread: 100 at N = 1000"})
    EXPECT_TRUE(contains(run.out, text));
}

}  // namespace
}  // namespace thinwire
