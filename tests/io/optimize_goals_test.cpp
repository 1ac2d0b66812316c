#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mom/problem/reflection.h"
#include "mom/solve.h"
#include "tests/io/optimize_task.h"

namespace thinwire::optimize_goals_test {
namespace {

using test::best;
using test::pair;
using test::read;
using test::Task;

TEST(OptimizeGoals, GoalsAreWhatTheSolutionGives) {
  const Task task(pair, {"h=0.2:0.28"},
                  {"vswr(300) < 2", "r(300) max", "x(295:305:2) = 0", "|z|(300) min",
                   "gain(70,20,300) max", "fb(90,0,300) > 3", "efficiency(300) min",
                   "mean_r(295:305:3) max"});
  const std::vector<double> values = {0.24};
  const Solution solution = solve(task.goals.asked(task.at(values, false)), {});
  const GoalTerms terms = task.goals.terms(solution);

  Problem problem = read(pair);
  auto& run = problem.runs[0];
  run.frequency_hz = {295e6, 300e6, 305e6};
  PatternRequest request = {.theta_start_deg = 70, .phi_start_deg = 20};
  PatternRequest cut = {.phi_count = 2, .theta_start_deg = 90, .phi_step_deg = 180};
  run.patterns = {request, cut};
  const Solution plain = solve(problem, {});
  const FrequencyResult& at_300 = plain.frequencies[1];
  const Complex z = at_300.ports[0].impedance_ohm;
  const auto value = [&](std::size_t goal) {
    return value_of(task.goals.goals()[goal], terms[goal]);
  };
  EXPECT_NEAR(value(0), vswr(reflection(z, 50)), 1e-9);
  EXPECT_NEAR(value(1), z.real(), 1e-9);
  const double x_295 = plain.frequencies[0].ports[0].impedance_ohm.imag(),
               x_305 = plain.frequencies[2].ports[0].impedance_ohm.imag();
  EXPECT_NEAR(value(2), std::abs(x_295) > std::abs(x_305) ? x_295 : x_305, 1e-9);
  EXPECT_NEAR(value(3), std::abs(z), 1e-9);
  EXPECT_NEAR(value(4), at_300.patterns[0].gain_dbi[0], 1e-9);
  EXPECT_NEAR(value(5), at_300.patterns[1].gain_dbi[0] - at_300.patterns[1].gain_dbi[1],
              1e-9);
  EXPECT_EQ(value(6), 1);
  double mean = 0;
  for (const FrequencyResult& result : plain.frequencies)
    mean += result.ports[0].impedance_ohm.real() / 3;
  EXPECT_NEAR(value(7), mean, 1e-9);
}

TEST(OptimizeGoals, LargestGainIsThatOfAFineGrid) {
  const Task task(pair, {"h=0.2:0.28"}, {"gain(300) max"});
  const std::vector<double> values = {0.24};
  const GoalTerms terms =
      task.goals.terms(solve(task.goals.asked(task.at(values, false)), {}));
  Problem problem = read(pair);
  PatternRequest grid = {
      .theta_count = 181, .phi_count = 360, .theta_step_deg = 1, .phi_step_deg = 1};
  problem.runs[0].frequency_hz = {300e6};
  problem.runs[0].patterns = {grid};
  const Solution fine = solve(problem, {});
  const std::vector<double>& gain = fine.frequencies[0].patterns[0].gain_dbi;
  EXPECT_NEAR(terms[0][0].value, *std::max_element(gain.begin(), gain.end()), 1e-3);
}

/// Every quantity at a source, as a bound, and as what is driven: their derivatives and
/// those of the program against central differences.
TEST(OptimizeGoals, DerivativesOfTheProgramAreItsDifferences) {
  const Task task(
      pair, {"h=0.2:0.28", "d=0.1:0.2"},
      {"vswr(295:305:3) < 1.5", "x(300) = 0", "2 * r(300) max", "vswr(295:305:2) min",
       "mean_|z|(295:305:3) > 60", "gain(80,20,300) max", "fb(90,0,295:305:2) > 3"});
  const Options options;
  const ProblemAt at = task.problem_at();
  const Evaluator evaluator(task.goals, task.variables, at, options);
  const Program program(task.goals);
  const std::vector<double> unit = {0.45, 0.6};
  const auto sloped = evaluator.solve_with_derivatives(unit);
  ASSERT_TRUE(sloped.terms) << sloped.why;
  const std::vector<double> extra = program.fitting(*sloped.terms);
  EXPECT_EQ(extra.size(), 2U);
  const std::size_t n = unit.size() + extra.size(), m = program.constraints();
  EXPECT_EQ(m, 3U + 2U + 2U + 1U + 2U);
  std::vector<double> gradient(n), values(m), gradients(m * n);
  (void)program.objective(*sloped.terms, extra, gradient);
  program.constrain(*sloped.terms, extra, values, gradients);
  for (const double value : values) EXPECT_LE(value, 1e-12);
  for (std::size_t v = 0; v < unit.size(); ++v) {
    const double step = 1e-3;
    const auto side = [&](double by, std::vector<double>& constraints) {
      std::vector<double> moved = unit;
      moved[v] += by * step;
      const auto result = evaluator.solve(moved);
      EXPECT_TRUE(result.terms) << result.why;
      program.constrain(*result.terms, extra, constraints, {});
      return program.objective(*result.terms, extra, {});
    };
    std::vector<double> a(m), b(m), c(m), d(m);
    const double objective =
        (8 * (side(1, a) - side(-1, b)) - (side(2, c) - side(-2, d))) / (12 * step);
    EXPECT_NEAR(gradient[v], objective, 1e-6 * std::abs(objective));
    for (std::size_t row = 0; row < m; ++row) {
      const double derivative = (8 * (a[row] - b[row]) - (c[row] - d[row])) / (12 * step);
      EXPECT_NEAR(gradients[row * n + v], derivative, 1e-6 * std::abs(derivative)) << row;
    }
  }
}

/// In free space GainDerivatives::front_to_back_derivative_db is towards the opposite
/// point of the sphere, which is another direction where theta is not 90 degrees.
TEST(OptimizeGoals, DerivativesOfFrontToBackAreOfItsDirections) {
  const Task task(
      "CE\nSY a=0.1, h1=0.49, y=0.15\nGW 1 9 0 -h1 0 0 h1 0 0.003\n"
      "GW 2 9 0.4 -0.46 a 0.4 0.46 a+y 0.003\nGW 3 9 -0.4 -0.5 -a -0.4 0.5 -a 0.003\n"
      "GE\nEX 0 1 5 0 1\nFR 0 1 0 0 145\nXQ\nEN\n",
      {"a=-1:1"}, {"fb(60,0) max"});
  const Options options;
  const ProblemAt at = task.problem_at();
  const Evaluator evaluator(task.goals, task.variables, at, options);
  const auto value = [&](double unit) {
    return evaluator.solve(std::vector{unit}).terms->front().front().value;
  };
  const auto sloped = evaluator.solve_with_derivatives(std::vector{0.5});
  ASSERT_TRUE(sloped.terms) << sloped.why;
  const double step = 1e-4;
  const double derivative = (8 * (value(0.5 + step) - value(0.5 - step)) -
                             (value(0.5 + 2 * step) - value(0.5 - 2 * step))) /
                            (12 * step);
  EXPECT_NEAR(derivative, 2 * 46.382, 0.01);
  EXPECT_NEAR(sloped.terms->front().front().derivatives.at(0), derivative,
              1e-5 * derivative);
}

/// Nothing is radiated along the wire: that goal has no derivatives, the other one has.
TEST(OptimizeGoals, AGoalWithoutDerivativesTakesDifferences) {
  const Task task(pair, {"h=0.2:0.28"}, {"r(300) max", "0.001 * gain(0,0,300) max"});
  SearchSettings settings;
  settings.starts = 1;
  settings.evaluations = 30;
  const Optimization result = task.optimized(settings);
  EXPECT_FALSE(result.exact_derivatives);
  EXPECT_NEAR(best(result).variables[0], 0.28, 1e-6);
}

/// A weight says which miss is worse, and not what is missed.
TEST(OptimizeGoals, AWeightDoesNotDecideWhetherABoundIsMet) {
  for (const char* goal : {"1e-8 * x(300) = 0", "x(300) = 0", "1e8 * x(300) = 0"}) {
    const Task task(pair, {"h=0.2:0.28"}, {goal});
    const Optimization result = task.optimized();
    EXPECT_EQ(result.ended, "all goals are met") << goal;
    EXPECT_LT(std::abs(best(result).goals[0]), 0.0051) << goal;
  }
}

TEST(OptimizeGoals, FindsTheLeastMissOfABoundFarAway) {
  for (const char* goal : {"x(300) > 1e12", "x(300) = 1e12", "1e12 * x(300) > 1e12"}) {
    const Task task(pair, {"h=0.2:0.28"}, {goal});
    SearchSettings settings;
    settings.evaluations = 100;
    EXPECT_NEAR(best(task.optimized(settings)).variables[0], 0.28, 1e-6) << goal;
  }
}

TEST(OptimizeGoals, NamesVariablesThatChangeNoGoal) {
  const Task task("CE\nSY idle=1\n" + pair.substr(pair.find("SY")),
                  {"h=0.2:0.28", "idle=0.5:2"}, {"r(300) max"});
  EXPECT_EQ(task.optimized().idle, std::vector<std::size_t>{1});
}

}  // namespace
}  // namespace thinwire::optimize_goals_test
