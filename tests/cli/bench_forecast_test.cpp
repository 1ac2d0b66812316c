#include <gtest/gtest.h>

#include <cmath>

#include "io/result/hdf5_file.h"
#include "tests/cli/program.h"

namespace thinwire {
namespace {

using namespace test;

TEST(BenchForecast, PredictsAndWritesEverything) {
  const Program thinwire;
  const auto run = thinwire.succeeds(
      "bench forecast --gpus 1 4 64 --unknowns 2e5 -o f.h5 --csv f.csv --html f.html");
  EXPECT_TRUE(contains(run.out, "The largest dense problem"));
  const Hdf5Reader in(thinwire / "f.h5");
  EXPECT_EQ(in.attribute_text("/", "content"), "bench forecast");
  // 2e5 unknowns take 320 GB in complex double: more than one GPU has, less than four.
  const std::vector<double> product_s = in.doubles("/strong_scaling/product_s");
  ASSERT_EQ(product_s.size(), 3u);
  EXPECT_TRUE(std::isnan(product_s[0]));
  EXPECT_GT(product_s[1], 8 * product_s[2]);
  EXPECT_TRUE(contains(test::read_file(thinwire / "f.html"), "on many GPUs"));
  EXPECT_EQ(thinwire("info f.h5").code, 0);
}

TEST(BenchForecast, ASlowNetworkCosts) {
  const Program thinwire;
  const auto time_with = [&](const std::string& network) {
    EXPECT_EQ(
        thinwire("bench forecast --gpus 64 --quiet --force -o n.h5 " + network).code, 0);
    return Hdf5Reader(thinwire / "n.h5").doubles("/strong_scaling/direct_s").at(0);
  };
  EXPECT_GT(time_with("--network 1"), 2 * time_with("--network 50"));
}

TEST(BenchForecast, RefusesInOneLine) {
  const Program thinwire;
  for (const char* arguments :
       {"--gpus 0", "--gpus x", "--unknowns 0", "--unknowns nan", "--network 0",
        "--gpus-a-host 0", "--devices 2", "--csv - --html -"}) {
    const auto run = thinwire(std::string("bench forecast ") + arguments);
    EXPECT_EQ(run.code, 2) << arguments;
    EXPECT_EQ(line_count(run.err), 1u) << run.err;
    EXPECT_EQ(run.out, "");
  }
}

}  // namespace
}  // namespace thinwire
