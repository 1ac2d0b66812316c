#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "kernels/base/error.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire::test {
namespace {

NearFieldRequest few_points() {
  NearFieldRequest request = {.count = {1, 1, 3}, .start = {1}, .step = {0, 0, 0.1}};
  return request;
}

/// More directions than are summed between two looks at the monitor.
PatternRequest fine_pattern() {
  PatternRequest request = {
      .theta_count = 600, .phi_count = 600, .theta_step_deg = 0.3, .phi_step_deg = 0.6};
  return request;
}

/// Runs that share a frequency share its matrix; each is solved and has fields.
Problem three_runs() {
  Problem problem = dipole(0.25, 0.005, 11);
  problem.runs[0].near_fields = {few_points(), few_points()};
  problem.runs[0].patterns.resize(2);
  problem.runs.resize(3, problem.runs[0]);
  return problem;
}

TEST(Progress, OfPartsIsThatOfTheJob) {
  std::vector<double> fractions;
  std::string step;
  const Monitor job([&](const Progress& progress) {
    fractions.push_back(progress.fraction);
    step = progress.step;
  });
  job.part(0, 0.5).report("solve", 0.5);
  job.part(0, 0.5).report("solve", 0.2);  // a stage that starts again
  job.part(0, 0.5).done();                // not the job
  job.part(0.5, 1).part(0.5, 1).report("solve", 0.2);
  EXPECT_EQ(fractions, (std::vector<double>{0.25, 0.25, 0.8}));
  job.part(0.1, 1).part(0.3, 1).done();
  EXPECT_EQ(fractions.back(), 1);
  EXPECT_EQ(step, "done");
}

// Derivatives of gains are solved for once the patterns are known.
TEST(Progress, GoesOnWhileGradientsAreSolvedFor) {
  Problem problem = dipole(0.25, 0.005, 11);
  problem.runs[0].patterns = {{.theta_start_deg = 90}};
  problem.parameters = {{"h", 0.25, 1e-5,
                         std::make_shared<Problem>(dipole(0.24999, 0.005, 11)),
                         std::make_shared<Problem>(dipole(0.25001, 0.005, 11))}};
  std::vector<double> solving;
  double before = 0;
  Options options = options_for(MeshChoice::as_given);
  options.threads = 1;
  options.monitor = Monitor([&](const Progress& progress) {
    if (progress.step == "solve") solving.push_back(progress.fraction);
    if (progress.step == "pattern") before = progress.fraction;
  });
  (void)solve(problem, options);
  ASSERT_EQ(solving.size(), 2u);
  EXPECT_GT(solving[1], before);
}

TEST(Progress, NeverGoesBack) {
  double last = 0;
  std::size_t patterns = 0, fields = 0;
  Options options = options_for(MeshChoice::graded);
  options.monitor = Monitor([&](const Progress& progress) {
    EXPECT_GE(progress.fraction, last) << progress.step;
    last = progress.fraction;
    patterns += progress.step == "pattern";
    fields += progress.step == "near field";
  });
  (void)solve(three_runs(), options);
  EXPECT_EQ(patterns, 6u);
  EXPECT_EQ(fields, 6u);
  EXPECT_EQ(last, 1);
}

// The first round of a fast sweep solves half of the frequencies that most sweeps take.
TEST(Progress, OfAFastSweepIsThatOfItsSolutions) {
  Problem problem = dipole(0.25, 0.005, 11);
  problem.runs[0].frequency_hz.clear();
  for (int i = 0; i < 201; ++i) problem.runs[0].frequency_hz.push_back(250e6 + 0.5e6 * i);
  double last = 0, half = 0;
  std::size_t fills = 0;
  std::string step;
  Options options = options_for(MeshChoice::as_given);
  options.sweep = SweepChoice::fast;
  options.threads = 1;
  options.monitor = Monitor([&](const Progress& progress) {
    EXPECT_GE(progress.fraction, last) << progress.step;
    last = progress.fraction;
    fills += progress.step == "fill" && step != "fill";
    if (fills == 8 && half == 0) half = last;
    step = progress.step;
  });
  (void)solve(problem, options);
  EXPECT_GT(half, 0.3);
  EXPECT_LT(half, 0.6);
  EXPECT_EQ(last, 1);
}

TEST(Progress, AStopIsHeardWithinAPattern) {
  Problem problem = dipole(0.25, 0.005, 11);
  problem.runs[0].patterns = {fine_pattern()};
  std::atomic<bool> stop = false;
  int told = 0;
  Options options = options_for(MeshChoice::as_given);
  options.monitor = Monitor(
      [&](const Progress& progress) { told += progress.step == "pattern"; }, &stop);
  const Solution solution = solve(problem, options);
  EXPECT_EQ(told, 2);
  // A pattern summed in two parts is whole: the last direction, too, is broadside's
  // mirror image in theta.
  const PatternResult& pattern = solution.frequencies.at(0).patterns.at(0);
  EXPECT_GT(pattern.gain_dbi.at(300 * 600 + 599), 2);
  EXPECT_NEAR(pattern.gain_dbi.at(599 * 600 + 599), pattern.gain_dbi.at(1 * 600), 1e-9);

  told = 0;
  options.monitor = Monitor(
      [&](const Progress& progress) {
        if (progress.step != "pattern") return;
        ++told;
        stop = true;
      },
      &stop);
  EXPECT_THROW(solve(problem, options), Error);
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace thinwire::test
