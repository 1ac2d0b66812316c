#include "mom/optimize/optimize.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "io/deck/variation.h"
#include "io/deck/with_values.h"
#include "mom/solve.h"
#include "tests/io/optimize_task.h"
#include "tests/messages.h"

namespace thinwire::optimize_test {
namespace {

using test::best;
using test::pair;
using test::read;
using test::Task;

/// A thin dipole is resonant a little short of half a wave (0.47 to 0.48 wavelengths):
/// bisection of its reactance says where.
TEST(Optimize, FindsTheResonantDipoleByEveryMethod) {
  const std::string dipole =
      "CE\nSY h=0.25\nGW 1 11 0 0 -h 0 0 h .001\nGE 0\nEX 0 1 6 0 1 0\n"
      "FR 0 1 0 0 299.792458 0\nXQ\nEN\n";
  double low = 0.22, high = 0.25;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    const Solution solution = solve(read(dipole, {{"h", middle}}), {});
    (solution.frequencies[0].ports[0].impedance_ohm.imag() < 0 ? low : high) = middle;
  }
  for (const SearchMethod method : {SearchMethod::automatic, SearchMethod::slsqp,
                                    SearchMethod::cobyla, SearchMethod::cma_es}) {
    const Task task(dipole, {"h=0.2:0.26"}, {"x = 0"});
    SearchSettings settings;
    settings.method = method;
    settings.starts = 1;
    settings.evaluations = 300;
    settings.resolution = 1e-6;
    const Optimization result = task.optimized(settings);
    EXPECT_TRUE(best(result).score.keeps_bounds()) << name_of(method);
    EXPECT_NEAR(best(result).variables[0], low, 1e-5) << name_of(method);
    EXPECT_EQ(result.ended, "all goals are met") << name_of(method);
  }
}

TEST(Optimize, KeepsBoundsOfVariables) {
  // More spacing is less coupling: the optimum lies at a corner.
  const Task task(pair, {"d=0.1:0.2", "w=1e-4:2e-3"}, {"r(300) max"});
  const Optimization result = task.optimized();
  for (const Evaluation& evaluation : result.evaluations)
    for (std::size_t v = 0; v < 2; ++v) {
      EXPECT_GE(evaluation.variables[v], task.variables[v].lower);
      EXPECT_LE(evaluation.variables[v], task.variables[v].upper);
    }
  EXPECT_EQ(result.ended, "the searches have converged");
}

TEST(Optimize, MatchesAPair) {
  const Task task(pair, {"h=0.2:0.28", "d=0.05:0.25"}, {"vswr(300) min"});
  const Optimization result = task.optimized();
  EXPECT_LT(best(result).goals[0], 1.01);
  EXPECT_TRUE(result.exact_derivatives);
}

TEST(Optimize, DrivesAGoalAsFarAsABoundLetsIt) {
  const Task task(pair, {"h=0.2:0.28", "d=0.05:0.25"},
                  {"gain(90,180,300) max", "vswr(300) < 1.5"});
  SearchSettings settings;
  settings.evaluations = 1000;
  const Optimization result = task.optimized(settings);
  EXPECT_TRUE(best(result).score.keeps_bounds());
  EXPECT_TRUE(result.exact_derivatives);
  // None on a fine grid that keeps the bound is better.
  const Options options;
  const ProblemAt at = task.problem_at();
  const Evaluator evaluator(task.goals, task.variables, at, options);
  for (int i = 0; i <= 24; ++i)
    for (int j = 0; j <= 24; ++j) {
      const auto other = evaluator.solve(std::vector{i / 24.0, j / 24.0});
      const Score score = score_of(task.goals, *other.terms);
      if (!score.keeps_bounds()) continue;
      EXPECT_LE(best(result).score.objective, score.objective + 1e-4) << i << ' ' << j;
    }
}

TEST(Optimize, SaysByHowMuchBoundsAreMissedThatCannotBeKept) {
  const Task task(pair, {"d=0.1:0.2"}, {"r(300) > 500"});
  const Optimization result = task.optimized();
  EXPECT_FALSE(best(result).score.keeps_bounds());
  EXPECT_NEAR(best(result).score.miss, (500 - best(result).goals[0]) / 50, 1e-9);
}

TEST(Optimize, AGoalThatNothingChangesIsNoError) {
  const Task task(pair, {"d=0.1:0.2"}, {"efficiency(300) max"});
  const Optimization result = task.optimized();
  EXPECT_EQ(best(result).goals[0], 1);
  EXPECT_EQ(result.ended, "the searches have converged");
}

/// A parasitic dipole reflects or directs: two valleys, and derivatives lead into the
/// nearer.
TEST(Optimize, FindsTheBetterOfTwoValleysByCmaEs) {
  const std::string deck =
      "CE\nSY g=0.26, d=0.1\nGW 1 11 0 0 -.235 0 0 .235 .001\n"
      "GW 2 11 d 0 -g d 0 g .001\nGE 0\nEX 0 1 6 0 1 0\nFR 0 1 0 0 300 0\nXQ\nEN\n";
  const Task task(deck, {"g=0.2:0.27", "d=0.05:0.3"}, {"gain(90,0,300) max"});
  SearchSettings settings;
  settings.starts = 1;
  settings.evaluations = 600;
  const double by_derivatives = best(task.optimized(settings)).goals[0];
  settings.method = SearchMethod::cma_es;
  const Optimization result = task.optimized(settings);
  EXPECT_GT(best(result).goals[0], by_derivatives + 1);
  EXPECT_LT(best(result).variables[0], 0.25);
  // The deck's own values come first: what the table calls the start.
  EXPECT_EQ(result.evaluations.front().variables, (std::vector{0.26, 0.1}));
}

/// Below h = 0.1 the second wire has no length.
const std::string vanishing_wire =
    "CE\nSY h=0.2\nGW 1 11 0 0 -.24 0 0 .24 .001\n"
    "GW 2 5 .1 0 0 .1 0 h-0.1+abs(h-0.1) .001\nGE 0\nEX 0 1 6 0 1 0\n"
    "FR 0 1 0 0 300 0\nXQ\nEN\n";

SearchSettings few_generations() {
  SearchSettings settings;
  settings.method = SearchMethod::cma_es;
  settings.starts = 1;
  settings.evaluations = 60;
  return settings;
}

TEST(Optimize, AGenerationOutlivesVariantsThatCannotBeSolved) {
  const Task task(vanishing_wire, {"h=0.05:0.3"}, {"x min"});
  const Optimization result = task.optimized(few_generations());
  EXPECT_GT(result.failed, 0U);
  EXPECT_FALSE(result.first_failure.empty());
  EXPECT_GT(best(result).variables[0], 0.1);
}

TEST(Optimize, WeightsDoNotMakeFailuresLookGood) {
  // Only the order of the variants counts.
  const Optimization plain = Task(vanishing_wire, {"h=0.05:0.3"}, {"r min"})
                                 .optimized(few_generations()),
                     weighted = Task(vanishing_wire, {"h=0.05:0.3"}, {"1e6 * r min"})
                                    .optimized(few_generations());
  EXPECT_GT(plain.failed, 0U);
  // Then slsqp goes on.
  for (std::size_t e = 0; e < 45; ++e)
    EXPECT_EQ(weighted.evaluations.at(e).variables, plain.evaluations.at(e).variables)
        << e;
}

TEST(Optimize, ThreadsGiveTheSameEvaluations) {
  Task task(pair, {"h=0.2:0.28", "d=0.05:0.25"}, {"gain(90,180,300) max"});
  for (const SearchMethod method :
       {SearchMethod::slsqp, SearchMethod::cobyla, SearchMethod::cma_es}) {
    SearchSettings settings;
    settings.method = method;
    settings.starts = default_starts(method);
    settings.evaluations = 120;
    task.options.threads = 1;
    const Optimization one = task.optimized(settings);
    task.options.threads = 3;
    const Optimization three = task.optimized(settings);
    ASSERT_EQ(one.evaluations.size(), three.evaluations.size());
    for (std::size_t e = 0; e < one.evaluations.size(); ++e)
      EXPECT_EQ(one.evaluations[e].variables, three.evaluations[e].variables);
    EXPECT_EQ(one.best, three.best);
  }
}

TEST(Optimize, VariantsThatCannotBeMeshedAreTheWorst) {
  // Below 0.1 the second wire passes through the first.
  const std::string crossing =
      "CE\nSY h=0.24, d=0.15\nGW 1 11 0 0 -h 0 0 h .001\n"
      "GW 2 11 d 0 -h d-0.1 0 h .001\nGE 0\nEX 0 1 6 0 1 0\nFR 0 1 0 0 300 0\nXQ\nEN\n";
  const Task task(crossing, {"d=-0.1:0.2"}, {"r min"});
  const Optimization result = task.optimized(few_generations());
  EXPECT_FALSE(best(result).goals.empty());
}

TEST(Optimize, StopsAtOnceAndKeepsTheBest) {
  Task task(pair, {"h=0.2:0.28", "d=0.05:0.25"}, {"gain(90,180,300) max"});
  std::atomic<bool> stop = false;
  std::atomic<int> told = 0;
  task.options.threads = 2;
  task.options.monitor = Monitor([&](const Progress&) { stop = ++told == 20; }, &stop);
  const Optimization result = task.optimized();
  EXPECT_TRUE(result.interrupted);
  EXPECT_GE(result.evaluations.size(), 19U);
  EXPECT_LE(result.evaluations.size(), 24U);
  EXPECT_FALSE(best(result).goals.empty());
}

TEST(Optimize, RefusesGoalsThatTheDeckDoesNotHave) {
  EXPECT_TRUE(contains(
      test::error_message([] { Task(pair, {"d=0.1:0.2"}, {"r@2 = 50"}); }), "1 source."));
  const std::string ground =
      "CE\nSY h=3\nGW 1 9 0 0 h 1 0 h .001\nGE 1\nGN 1\nEX 0 1 5 0 1\nFR 0 1 0 0 100\n"
      "XQ\nEN\n";
  EXPECT_TRUE(
      contains(test::error_message([&] { Task(ground, {"h=2:4"}, {"gain(100,0) max"}); }),
               "below the ground"));
  const std::string earth =
      "CE\nSY h=3\nGW 1 9 0 0 h 1 0 h .001\nGE 1\nGN 0 0 0 0 13 .005\n"
      "EX 0 1 5 0 1\nFR 0 1 0 0 100\nXQ\nEN\n";
  EXPECT_TRUE(
      contains(test::error_message([&] { Task(earth, {"h=2:4"}, {"gain(90,0) max"}); }),
               "nothing is radiated along a real ground"));
  const std::string no_source = "CE\nSY h=3\nGW 1 9 0 0 h 1 0 h .001\nGE\nEN\n";
  EXPECT_TRUE(
      contains(test::error_message([&] { Task(no_source, {"h=2:4"}, {"r max"}); }),
               "has no source"));
}

TEST(Optimize, ADeckTakesValuesAndKeepsItsText) {
  const std::string text =
      "CM h=1 in a comment\nCE\nSY h=0.24, w=1mm ' h=2\nsy D = h*2 ,e=3\nGW 1 11 0 0 -h "
      "0 0 h w\nGE 0\nEN\nSY h=7\n";
  EXPECT_EQ(deck_with_values(text, "t.nec", {{"h", 0.1}, {"d", 1.0 / 3}}),
            "CM h=1 in a comment\nCE\nSY h=0.1, w=1mm ' h=2\nsy D = "
            "0.3333333333333333 ,e=3\nGW 1 11 0 0 -h "
            "0 0 h w\nGE 0\nEN\nSY h=7\n");
  EXPECT_EQ(deck_with_values(text, "t.nec", {}), text);
  const std::string two = "CE\nSY h=1\nGE\nNX\nCE\nSY h=2\nGE\nEN\n";
  EXPECT_EQ(deck_with_values(two, "t.nec", {{"h", 3}}, 2),
            "CE\nSY h=1\nGE\nNX\nCE\nSY h=3\nGE\nEN\n");
}

TEST(Optimize, ReadsVariables) {
  const Variable variable = variable_of("H1=440mm:0.5");
  EXPECT_EQ(variable.name, "h1");
  EXPECT_EQ(variable.lower, 0.44);
  EXPECT_EQ(variable.upper, 0.5);
  EXPECT_NEAR(variable.start, 0.47, 1e-15);
  for (const char* wrong : {"h", "=1:2", "h=1", "h=1:2:3", "h=2:1", "h=1:1", "h=a:2"})
    EXPECT_TRUE(
        contains(test::error_message([&] { (void)variable_of(wrong); }), "--vary"))
        << wrong;
}

}  // namespace
}  // namespace thinwire::optimize_test
