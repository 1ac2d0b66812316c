#include "bench/timing_report.h"

#include <gtest/gtest.h>

#include "kernels/matrix/symv_shapes.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

RunTimes times(double seconds) {
  return {seconds, 0.9 * seconds, 1.1 * seconds, 3};
}

TuneReport tune_sample() {
  TuneReport report;
  report.n = 4095;
  report.padded_n = 4096;
  for (const bool transposed : {false, true})
    for (const bool padded : {true, false})
      for (const int threads : {8, 12, 64})
        report.rows.push_back(
            {threads, padded, transposed,
             times(1e-3 * (threads % 8 ? 2 : 1) * (transposed ? 5 : 1))});
  report.products.push_back({"cuBLAS zgemv", 1e8, -1, 0, times(1e-4)});
  report.products.push_back({"symmetric, double", 1e8, 0, 2, times(1e-4)});
  report.row_threads = {"row_threads", "64", "8", 0, 1e-3, 0.9e-3, true};
  const std::string shape = symv_setting_text(0, 1);
  report.symv = {"symmetric product", shape, shape, 0, 1e-4, 1e-4, false};
  return report;
}

SolveTiming solve(std::size_t n, const char* method, bool gpu, double total, double fill,
                  double difference) {
  SolveTiming timing;
  timing.n = n;
  timing.method = method;
  timing.on_gpu = gpu;
  timing.solver = "cg";
  timing.fill_s = fill;
  timing.solve_s = total - fill;
  timing.total = times(total);
  timing.difference = difference;
  return timing;
}

TEST(TuneReport, BecomesTablesPlotAndAdvice) {
  const TuneReport report = tune_sample();
  const std::vector<Table> tables = tune_tables(report);
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].rows(), 12u);
  EXPECT_EQ(tables[1].rows(), 2u);
  EXPECT_TRUE(contains(table_text(tables[1]), name_of(symv_shapes[0])));
  // Normal and transposed; padded and not, points of other numbers of threads apart.
  const std::vector<LinePlot> plots = tune_plots(report);
  ASSERT_EQ(plots.size(), 2u);
  for (const LinePlot& plot : plots) EXPECT_EQ(plot.series.size(), 4u);
  const std::vector<std::string> advice = tune_findings(report);
  ASSERT_EQ(advice.size(), 2u);
  EXPECT_TRUE(contains(advice[0], "row_threads: 8 instead of 64"));
  EXPECT_TRUE(contains(advice[1], "1 run a block stays, the fastest"));
}

TEST(TuneReport, OfAnInterruptedSweepGivesNoAdvice) {
  TuneReport report = tune_sample();
  report.interrupted = true;
  report.row_threads = report.symv = {};
  EXPECT_EQ(tune_findings(report),
            std::vector<std::string>{
                "interrupted: no choice of settings from part of a sweep"});
}

TEST(ChooseSetting, ChangesOnlyBeyondScatter) {
  const std::vector<std::string> values = {"1", "2", "3"};
  const auto choose = [&](std::vector<RunTimes> measured) {
    return choose_setting("x", 0, values, measured);
  };
  // 30 % faster, ranges apart.
  const TuneChoice clear = choose({times(1), times(0.7), times(0.9)});
  EXPECT_EQ(clear.best, "2");
  EXPECT_EQ(clear.best_index, 1u);
  EXPECT_TRUE(clear.change);
  // Faster in the median, but the ranges meet.
  EXPECT_FALSE(choose({times(1), times(0.95), times(1)}).change);
  // No scatter, and a gain of 1 %.
  EXPECT_FALSE(choose({{1, 1, 1, 3}, {0.99, 0.99, 0.99, 3}, {1, 1, 1, 3}}).change);
  // The standard is the fastest.
  const TuneChoice same = choose({times(0.5), times(0.9), times(0.9)});
  EXPECT_EQ(same.best, "1");
  EXPECT_FALSE(same.change);
}

TEST(BenchReport, FindsSpeedUpsAndDifferences) {
  BenchReport report;
  report.solves = {solve(1000, "CPU, 1 thread", false, 11, 1, 0),
                   solve(1000, "GPU, product", true, 0.3, 0.1, 1e-8),
                   solve(1000, "GPU, resident", true, 0.2, 0.1, 3e-8)};
  report.products = {{1000, row_product, true, 1e6, times(1e-3)},
                     {1000, row_product_transposed, true, 1e6, times(4.7e-3)}};
  report.gaps = {{2000, "CPU, 1 thread", "would take about 90 s"}};
  std::string all;
  for (const std::string& finding : bench_findings(report)) all += finding + '\n';
  EXPECT_TRUE(contains(all, "55 times as fast in all"));
  EXPECT_TRUE(contains(all, "100 times without the fill"));
  EXPECT_TRUE(contains(all, "4.70 times as long"));
  EXPECT_TRUE(contains(all, "3e-08 of the largest current"));
  EXPECT_TRUE(contains(all, "0.2 s and 0.1 s"));
  EXPECT_EQ(bench_tables(report).size(), 3u);
  EXPECT_EQ(bench_plots(report).size(), 4u);
}

TEST(BenchReport, SaysWhyThereIsNoGpu) {
  BenchReport report;
  report.gpu_problem = "no driver";
  report.solves = {solve(1000, "CPU, 1 thread", false, 1, 0.1, 0)};
  ASSERT_EQ(bench_findings(report).size(), 1u);
  EXPECT_EQ(bench_findings(report)[0], "No figures of a GPU: no driver");
  EXPECT_EQ(bench_plots(report).size(), 2u);
}

}  // namespace
}  // namespace thinwire
