#include "papers/study/compare_assembly.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

namespace thinwire {
namespace {

AssemblyBenchOptions small() {
  AssemblyBenchOptions options;
  options.scale = 0.001;
  options.repeats = 1;
  options.colours = {8, 40};
  return options;
}

TEST(CompareAssembly, EveryVersionOfTheCpuGivesTheSameMatrix) {
  const AssemblyReport report = compare_assembly(small());
  EXPECT_EQ(report.elements, 1000u);
  EXPECT_EQ(report.nodes, 1331u);
  EXPECT_EQ(report.blocks, 31u * 31 * 31);
  std::vector<AssemblyMethod> methods;
  for (const AssemblyRow& row : report.rows) {
    methods.push_back(row.method);
    EXPECT_GT(row.times.median_s, 0);
    // By colours sums have another order, which rounding tells.
    if (wants_colours(row.method)) {
      EXPECT_GT(row.error, 1e-18);
      EXPECT_LT(row.error, 1e-15);
      EXPECT_GT(row.colouring_s, 0);
    } else {
      EXPECT_EQ(row.error, 0);
      EXPECT_TRUE(std::isnan(row.colouring_s));
    }
  }
  EXPECT_EQ(methods, (std::vector<AssemblyMethod>{
                         AssemblyMethod::rows, AssemblyMethod::colours,
                         AssemblyMethod::colours, AssemblyMethod::in_order}));
  EXPECT_TRUE(report.shares.empty());
}

TEST(CompareAssembly, WholeSolvesAgree) {
  const AssemblyReport report = compare_assembly(small());
  ASSERT_EQ(report.wholes.size(), 2u);
  const ElasticSolve &one = report.wholes[0].solve, &all = report.wholes[1].solve;
  EXPECT_EQ(one.result.status, SolveStatus::converged);
  EXPECT_EQ(one.result.iterations, all.result.iterations);
  for (std::size_t i = 0; i < one.displacement.size(); ++i)
    EXPECT_EQ(one.displacement[i], all.displacement[i]);
  // A cube of side 10 pulled with 1 a unit area, E = 1: 10 on top but for the held
  // bottom, which stiffens it by a few per cent.
  EXPECT_NEAR(one.displacement.back().z, 10, 1);
  EXPECT_LT(one.displacement.back().z, 10);
}

TEST(CompareAssembly, TablesPlotAndFindingsTellOfAll) {
  const AssemblyReport report = compare_assembly(small());
  const std::vector<Table> tables = assembly_tables(report);
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].rows(), 4u);
  EXPECT_EQ(tables[1].rows(), 2u);
  const std::vector<LinePlot> plots = assembly_plots(report);
  ASSERT_EQ(plots.size(), 1u);
  EXPECT_EQ(plots[0].series.size(), 3u);  // a curve and two levels
  EXPECT_EQ(assembly_findings(report).size(), 2u);
}

TEST(CompareAssembly, AStopLeavesWhatThereIs) {
  std::atomic<bool> stop = false;
  AssemblyBenchOptions options = small();
  options.monitor = Monitor(
      [&](const Progress& progress) { stop = stop || progress.step == "solves"; }, &stop);
  const AssemblyReport report = compare_assembly(options);
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report.rows.size(), 4u);
  EXPECT_TRUE(report.wholes.empty());
}

}  // namespace
}  // namespace thinwire
